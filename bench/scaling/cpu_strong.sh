#!/usr/bin/env bash
# Strong scaling on one host: cpu_strong.sh [N] [RANKS...] builds the library (FFTW only) and times N^3 complex double
# pairs against FFTW-MPI, both in one run, for each number of ranks; JSON lines go to $OUT/cpu_strong.jsonl.
# environment: OUT (results), WORK (build folder, /tmp/shardfft_scaling), EXTRA (folder of Debian packages that are
# unpacked into WORK, for machines without FFTW-MPI), PREBUILT (programs for where building fails), LIMIT (seconds for
# everything, 280), SECONDS_EACH (timed rounds of one number of ranks, 10)
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
n=${1:-512}
shift || true
cores=$(nproc)
counts=("$@")
if [[ ${#counts[@]} -eq 0 ]]; then
  for ((r = cores; r >= 1; r /= 2)); do counts+=("$r"); done
fi
out=${OUT:-$root/results/scaling} work=${WORK:-/tmp/shardfft_scaling} limit=${LIMIT:-280}
mkdir -p "$out" "$work"
began=$SECONDS
left() { echo $((limit - (SECONDS - began))); }

prefix=$work/extra/usr
if [[ -n ${EXTRA:-} ]]; then
  for package in "$EXTRA"/*.deb; do dpkg -x "$package" "$work/extra"; done
  library=$(dirname "$(find "$prefix" -name 'libfftw3.so' | head -1)")
  export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

{
  generator=()
  command -v ninja > /dev/null && generator=(-G Ninja)
  common=("${generator[@]}" -Wno-dev -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
  found="$work/install;$prefix;${library:-}"
  timeout "$(left)" cmake -S "$root" -B "$work/library" "${common[@]}" -DSHARDFFT_MKL=OFF -DSHARDFFT_TESTS=OFF \
    -DSHARDFFT_EXAMPLES=OFF -DSHARDFFT_BENCH=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CBLAS=ON -DCMAKE_PREFIX_PATH="$found" \
    -DCMAKE_LIBRARY_PATH="${library:-}" &&
    timeout "$(left)" cmake --build "$work/library" --target shardfft -j "$cores" &&
    cmake --install "$work/library" --component development --prefix "$work/install" &&
    cmake -S "$root/bench/scaling" -B "$work/programs" "${common[@]}" -DCMAKE_PREFIX_PATH="$found" \
      -DCMAKE_LIBRARY_PATH="${library:-}" &&
    timeout "$(left)" cmake --build "$work/programs" -j "$cores"
} > "$out/build.log" 2>&1
built=$?
programs=$work/programs
if ((built != 0)); then
  tail -20 "$out/build.log"
  [[ -x ${PREBUILT:-}/cpu_strong ]] || { echo "the build failed"; exit 1; }
  programs=$PREBUILT
  echo "the build failed; the programs in PREBUILT are used"
fi
echo "ready after $((SECONDS - began)) s"

{
  lscpu
  free -g
  mpirun --version
  ls "${library:-/usr/lib/x86_64-linux-gnu}"/libfftw3*.so.*
} > "$out/machine.txt" 2>&1
floors=(1)
for r in "${counts[@]}"; do ((r > 1)) && floors+=("$r"); done
timeout 40 "$programs/memory_floor" $(printf '%s\n' "${floors[@]}" | sort -nu) | tee "$out/memory_floor.jsonl"

# One rank a core; where a core has two hardware threads and there are more ranks than cores, one a thread.
physical=$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)
binding() {
  if (($1 <= physical)); then echo "--bind-to core"
  elif (($1 <= cores)); then echo "--use-hwthread-cpus --bind-to hwthread"
  else echo "--oversubscribe --bind-to none"; fi
}
root_flag=()
[[ $(id -u) -eq 0 ]] && root_flag=(--allow-run-as-root)
for r in "${counts[@]}"; do
  # FFTW measures its plans where that takes seconds; with few ranks one candidate of 512^3 takes half a minute.
  plan=0 check=()
  ((r >= 16 || n <= 256)) && plan=2
  ((r >= 8 || n <= 256)) && check=(check)
  (($(left) > 5)) || { echo "no time left for $r ranks"; continue; }
  OMP_NUM_THREADS=1 timeout "$(left)" mpirun $(binding "$r") "${root_flag[@]}" -n "$r" "$programs/cpu_strong" "$n" \
    "${SECONDS_EACH:-10}" "$plan" "${check[@]}" > "$work/line" 2> "$work/errors"
  code=$?
  cat "$work/line" | tee -a "$out/cpu_strong.jsonl"
  ((code == 0)) || { echo "$r ranks: exit code $code"; tail -5 "$work/errors"; }
done
echo "done after $((SECONDS - began)) s"
