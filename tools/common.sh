# Sourced by ./run and the scripts of tools/: paths, messages, and how MPI programs are started.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=$(realpath -m "${VENV:-$ROOT/.venv}")
BUILD=$(realpath -m "${BUILD:-$ROOT/build}")
RESULTS=$ROOT/results

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'run: %s\n' "$*" >&2
  exit 1
}
# usage_error TEXT USAGE: for options nobody knows.
usage_error() {
  printf 'run: %s\n%s\n' "$1" "$2" >&2
  exit 2
}
# positive NAME VALUE: dies unless VALUE is a whole number above 0.
positive() {
  [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || { printf 'run: %s needs a whole number above 0, not "%s"\n' "$1" "${2:-}" >&2; exit 2; }
}

# hold_lock FOLDER: from here to the end of this script no other script that asks for the folder works in it.
hold_lock() {
  mkdir -p "$1"
  exec 9> "$1/.lock"
  command -v flock > /dev/null || return 0
  flock -n 9 && return
  echo "run: waiting for another command that works in $1" >&2
  flock 9
}

# Here, because a failure within $(jobs) ends no script.
[[ -z ${JOBS:-} ]] || positive JOBS "$JOBS"

# OMP_NUM_THREADS is for programs, not for compilers and tests; nproc would heed it.
cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

# physical_cores [FOLDER]: cores this process may use, to which ranks can be bound; the threads of one core count once.
physical_cores() {
  local folder=${1:-/sys/devices/system/cpu} range cpu found=()
  for range in $(awk '/^Cpus_allowed_list:/ {gsub(",", " ", $2); print $2}' /proc/self/status 2> /dev/null); do
    for cpu in $(seq "${range%-*}" "${range#*-}"); do found+=("$folder/cpu$cpu/topology/thread_siblings_list"); done
  done
  if [[ ${#found[@]} -gt 0 ]] && cat "${found[@]}" > /dev/null 2>&1; then sort -u "${found[@]}" | wc -l; else cores; fi
}

# Parallel compiler processes: one a core, and 1.5 GiB of memory for each.
jobs() {
  if [[ -n ${JOBS:-} ]]; then
    echo "$JOBS"
    return
  fi
  local memory
  memory=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  local count
  count=$(cores)
  ((memory < count)) && count=$memory
  ((count < 1)) && count=1
  echo "$count"
}

# Processes of tests at a time. Two more than cores: those of MPI tests wait for each other, and for mpirun's start and end.
test_jobs() { echo $(($(cores) + 2)); }

# A compiler cache is used if it is installed; with precompiled headers it must be told which differences do not matter.
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache > /dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
# In front of the compiler's name: how long each file takes, for the end of `./run test`.
COMPILER="$ROOT/tools/seconds.sh;source;-${CMAKE_CXX_COMPILER_LAUNCHER:+;$CMAKE_CXX_COMPILER_LAUNCHER}"

# NVIDIA GPUs that programs may use: those of CUDA_VISIBLE_DEVICES if it is set.
gpus_here() {
  local here named
  here=$( (nvidia-smi -L 2> /dev/null || true) | grep -c '^GPU ' || true)
  named=$(tr ',' '\n' <<< "${CUDA_VISIBLE_DEVICES-}" | grep -cE '^ *(GPU-|MIG-|[0-9])' || true)
  if [[ -n ${CUDA_VISIBLE_DEVICES+set} ]] && ((named < here)); then echo "$named"; else echo "$here"; fi
}

# Debian's name for one MPI's command if both are installed, or the plain name.
mpi_tool() { # NAME [openmpi|mpich]
  local family=${2:-openmpi}
  if command -v "$1.$family" > /dev/null; then command -v "$1.$family"; else command -v "$1"; fi
}

# Tests of three ranks that `./run test` leaves to `--all-ranks`: these files depend on how many ranks there are no more than
# two, four, six and eight show, checks on GPUs run on two and four, and .ci/run has the others on three with sanitizers.
# Areas, and files of their own.
on_three=(mpi_cannon mpi_exchange mpi_host mpi_random mpi_reshape mpi_trace mpi_faults_test_host_faults
  mpi_gpu_test_redistribution mpi_gpu_test_random_plans mpi_gpu_test_slab mpi_gpu_test_standin_failures
  mpi_gpu_test_standin_imports)
any_of() { local IFS='|'; echo "($*)"; }

# Starts an Open MPI program: root and more ranks than cores are allowed, ranks are bound only when each has a core.
mpi_run() { # RANKS COMMAND...
  local ranks=$1
  shift
  local flags=(--quiet --oversubscribe)
  [[ $(id -u) -eq 0 ]] && flags+=(--allow-run-as-root)
  if ((ranks <= $(physical_cores))); then flags+=(--bind-to core); else flags+=(--bind-to none --mca mpi_yield_when_idle 1); fi
  OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} "$ROOT/tools/seconds.sh" program "${measured_as:-$*}" "$(mpi_tool mpirun)" "${flags[@]}" -n "$ranks" "$@"
}

# Test programs guess wrongly under a launcher, which gives them a terminal even if the output is a file.
COLOR=no
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then COLOR=yes; fi
