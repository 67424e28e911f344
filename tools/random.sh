#!/usr/bin/env bash
# Checks plans drawn at random against a serial reference, and prints a line that repeats each failure.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run random [--plans N] [--seed S] [--first I] [--ranks 'R...'] [--cpu | --gpu | --doors | --fftw | --twin |
                    --arrays | --jax] [--mpi openmpi|mpich] [--state FILE]
  builds, then checks N plans (1200) of seed S (a new one) from number I (0) on, spread over 1 to 12 ranks, over CPUs and
  the GPUs of the stand-in, and over Open MPI and MPICH where both are installed; exit code 0 only if all are right.
  --doors: instead of plans, problems for the interfaces that other libraries have too, beside these, on 1 to 4 ranks:
  --fftw beside FFTW's MPI library, --twin beside mpi4py-fft, --arrays (DistArrays) beside NumPy, --jax beside JAX on eight
  fake devices (in the environment of .ci/run frameworks)
  MPICH's ranks poll without yielding, so it gets no more of them than there are cores, or 4, unless --ranks says more.
  --state: adds a line of JSON to FILE for every 200 plans that were checked; the same command with the same FILE leaves
  these out, and takes their seed"

plans=1200 seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ') first=0
ranks=() processors=(cpu gpu) families=() state='' a_piece=200
while [[ $# -gt 0 ]]; do
  option=$1
  case "$option" in
    --cpu) processors=(cpu); shift; continue ;;
    --gpu) processors=(gpu); shift; continue ;;
    --doors) processors=(fftw twin arrays jax); shift; continue ;;
    --fftw | --twin | --arrays | --jax) processors=("${option#--}"); shift; continue ;;
    -h | --help) echo "$usage"; exit 0 ;;
    --plans | --seed | --first | --ranks | --mpi | --state) [[ -n ${2:-} ]] || usage_error "random: $option needs a value" "$usage" ;;
    *) usage_error "random: unknown option '$option'" "$usage" ;;
  esac
  case "$option" in
    --plans) positive --plans "$2"; plans=$2 ;;
    --seed | --first) [[ $2 =~ ^[0-9]+$ ]] || usage_error "random: $option needs a whole number, not '$2'" "$usage" ;;&
    --seed) seed=$2 ;;
    --first) first=$2 ;;
    --ranks) read -ra ranks <<< "$2"; for r in "${ranks[@]}"; do positive --ranks "$r"; done ;;
    --mpi) [[ $2 == openmpi || $2 == mpich ]] || usage_error "random: --mpi is openmpi or mpich" "$usage"; families=("$2") ;;
    --state) state=$2 ;;
  esac
  shift 2
done
doors=no
if [[ ! ${processors[0]} =~ ^[cg]pu$ ]]; then doors=yes; fi
if [[ $doors == yes ]]; then
  [[ ${families[*]:-openmpi} == openmpi ]] || die "random: the other libraries are there for Open MPI only"
  families=(openmpi) python=$BUILD/frameworks/bin/python
  if [[ ! -x $python ]]; then
    [[ ${processors[*]} != jax ]] || die "random: --jax needs the environment that .ci/run frameworks makes"
    say "without JAX: there is no environment of .ci/run frameworks"
    processors=("${processors[@]/jax/}")
  fi
elif [[ ${#families[@]} -eq 0 ]]; then
  families=(openmpi)
  if command -v mpirun.mpich > /dev/null; then families+=(mpich); fi
fi

if [[ -s $state ]]; then
  if grep -vqE '^\{"seed": [0-9]+, "first": [0-9]+, "plans": [0-9]+, .*\}$' "$state"; then
    die "random: $state has a line that is none of a state's"
  fi
  seed=$(grep -oE -m 1 '[0-9]+' "$state" | head -1)
elif [[ -n $state ]]; then
  : > "$state" || die "random: cannot write $state"
fi

bash "$ROOT/tools/install_dependencies.sh" tests
program_of() { # PROCESSOR
  case $1 in gpu) echo mpi_gpu_tests ;; cpu) echo mpi_random_tests ;; fftw) echo compat_fftw_random ;; *) echo none ;; esac
}
build_doors() {
  bash "$ROOT/tools/build.sh"
  bash "$ROOT/tools/make_venv.sh" tests
  [[ " ${processors[*]} " != *" twin "* ]] || "$VENV/bin/python" -c 'import mpi4py_fft' 2> /dev/null ||
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check mpi4py-fft ||
    say "mpi4py-fft could not be installed; NumPy takes its place"
}
build() { # FAMILY
  [[ $doors == no ]] || build_doors
  [[ " ${processors[*]} " =~ " "(cpu|gpu|fftw)" " ]] || return 0
  local folder=$BUILD/random-$1 targets=() processor
  for processor in "${processors[@]}"; do targets+=("$(program_of "$processor")"); done
  targets=("${targets[@]/none/shardfft}")
  mkdir -p "$folder"
  cmake -S "$ROOT" -B "$folder" -Wno-dev -DMPI_C_COMPILER="$(mpi_tool mpicc "$1")" \
    -DMPI_CXX_COMPILER="$(mpi_tool mpicxx "$1")" -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun "$1")" -DMKL_ROOT="$VENV" \
    -DSHARDFFT_TESTS=ON -DSHARDFFT_COMPAT="$([[ $doors == no ]] && echo OFF || echo ON)" \
    '-DSHARDFFT_TESTS_ONLY=_random_plans$' > "$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; die "cmake failed; its words are above"; }
  cmake --build "$folder" --target "${targets[@]}" -j "$(jobs)" -- --no-print-directory -s > "$folder/build.log" 2>&1 ||
    { tail -50 "$folder/build.log" >&2; die "the build failed; the compiler's words are above"; }
}

# run_program FAMILY RANKS PROCESSOR: with the environment of the caller.
run_program() {
  local flags=() command=("$VENV/bin/python" -m pytest -q -s -p no:cacheprovider)
  case $3 in
    cpu | gpu) command=("$BUILD/random-$1/tests/$(program_of "$3")" '--gtest_filter=RandomPlans.*') ;;
    fftw) command=("$BUILD/random-$1/tests/compat/compat_fftw_random") ;;
    jax) "$python" "${command[@]:1}" "$ROOT/tests/frameworks/test_random_jax.py"; return ;;
    *)
      local -x OMP_NUM_THREADS=1
      command+=("$ROOT/tests/python/test_random_$3.py")
      ;;
  esac
  if [[ $1 == openmpi ]]; then
    flags=(--quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
    [[ $(id -u) -eq 0 ]] && flags+=(--allow-run-as-root)
  fi
  MPIR_CVAR_POLLS_BEFORE_YIELD=1 OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1 \
    "$(mpi_tool mpirun "$1")" "${flags[@]}" -n "$2" "${command[@]}"
}

logs=$BUILD/random
rm -rf "$logs"
mkdir -p "$logs"
# check FAMILY RANKS PROCESSOR FROM COUNT: a plan that ends the program does not keep those behind it from being checked.
check() {
  local from=$4 end=$(($4 + $5)) again log=$logs/$4.log bad=$logs/$4.bad
  while ((from < end)); do
    if SHARDFFT_TEST_SEED=$seed SHARDFFT_RANDOM_FIRST=$from SHARDFFT_RANDOM_PLANS=$((end - from)) SHARDFFT_RANDOM_AT=$log.at \
      run_program "$1" "$2" "$3" > "$log" 2>&1; then
      break
    fi
    # Python is ended without a word.
    [[ ! -e $log.at ]] || grep -aqE 'hangs: |random plans: ' "$log" || sed 's/^/crashes: /' "$log.at" >> "$log"
    cat "$log"
    grep -aoE '(fails|hangs|crashes): \./run random .*' "$log" | sort -u | sed "s/\$/ --mpi $1/" >> "$bad" || true
    again=$(grep -aoE '(hangs|crashes): .*' "$log" | grep -oE -- '--first [0-9]+' | head -1 | cut -d ' ' -f 2) || true
    if [[ -z $again ]]; then
      [[ -s $bad ]] || echo "failed without saying at which plan: $1, $2 ranks, $3, seed $seed, from $from on" >> "$bad"
      break
    fi
    from=$((again + 1))
  done
  local said
  said=$(grep -a 'random plans:' "$log" | tail -1) || true
  printf '%-8s %2d ranks, %s: %s\n' "$1" "$2" "$3" "$said"
  [[ -z $said && ! -s $bad ]] || touch "$logs/$4.done"
  [[ -z $state || -z $said || -s $bad ]] || record "$@" "$said" >> "$state"
}
revision=$(git -C "$ROOT" describe --always --dirty --exclude '*' 2> /dev/null || echo unknown)
record() { # FAMILY RANKS PROCESSOR FROM COUNT SAID
  local right refused failed
  read -r right refused failed < <(grep -oE '[0-9]+' <<< "$6" | paste -sd ' ')
  printf '{"seed": %s, "first": %s, "plans": %s, "mpi": "%s", "ranks": %s, "processor": "%s", ' "$seed" "$4" "$5" "$1" "$2" "$3"
  printf '"right": %s, "refused": %s, "failed": %s, "revision": "%s"}\n' "$right" "$refused" "$failed" "$revision"
}

# Programs run side by side as long as each of their ranks has a core.
declare -A taken=()
free=$(cores)
wait_for_one() {
  local id
  wait -n || true  # says nothing of a program that was killed and that bash has named already
  for id in "${!taken[@]}"; do
    kill -0 "$id" 2> /dev/null && continue
    free=$((free + taken[$id]))
    unset "taken[$id]"
  done
}
begin_check() { # FAMILY RANKS PROCESSOR FROM COUNT
  local wanted=$(($2 < $(cores) ? $2 : $(cores)))
  while ((free < wanted)); do wait_for_one; done
  check "$@" &
  taken[$!]=$wanted
  free=$((free - wanted))
}

for family in "${families[@]}"; do
  say "building with $family"
  build "$family"
done
say "seed $seed"
works=()  # family, ranks, processor
for family in "${families[@]}"; do
  most=$([[ $doors == no ]] && echo 12 || echo 4)
  if [[ $family == mpich ]] && (($(cores) < most)); then most=$(($(cores) > 4 ? $(cores) : 4)); fi
  mapfile -t drawn < <(seq "$most")
  [[ ${#ranks[@]} -eq 0 ]] || drawn=("${ranks[@]}")
  for r in "${drawn[@]}"; do
    for processor in "${processors[@]}"; do
      # JAX has one process for all its devices.
      [[ -z $processor || $processor == jax && $r != "${drawn[0]}" ]] || works+=("$family $r $processor")
    done
  done
done
at_most() { echo $(($1 < $2 ? $1 : $2)); }
# In pieces of one length, dealt in turn: more plans leave the earlier pieces as they are.
left=$plans turn=0 checks=0
while ((left > 0)); do
  read -r family r processor <<< "${works[turn++ % ${#works[@]}]}"
  share=$a_piece
  if [[ -z $state ]]; then share=$(at_most "$left" "$(at_most $a_piece $(((plans + ${#works[@]} - 1) / ${#works[@]})))"); fi
  if [[ -z $state ]] || ! grep -qF "\"first\": $first, " "$state"; then
    begin_check "$family" "$r" "$processor" "$first" "$share"
    checks=$((checks + 1))
  fi
  first=$((first + share)) left=$((left - share))
done
wait
if compgen -G "$logs/*.bad" > /dev/null; then
  say "repeat with"
  cat "$logs"/*.bad
  exit 1
fi
ended=("$logs"/*.done)
[[ $checks -eq 0 || -e ${ended[0]} && ${#ended[@]} -eq $checks ]] || die "random: not every check came to its end; see $logs"
say "all plans were right, or refused with an error that says why"
