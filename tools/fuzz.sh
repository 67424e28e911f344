#!/usr/bin/env bash
# Damages texts and files at random that come from outside, and reads them: by sanitized C++ readers, and by Python's.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run fuzz [--seconds N] [--seed S] [--first I] [--plans N] [--ranks R] [--texts | --readers]
  texts and files that C++ reads (options, ways of plans, names in plans, variables, wisdom; ways of GPU plans, the kernel
  cache) under sanitizers, and files that Python reads (manifests and blocks of saved arrays, machine files, experiments,
  pickled layouts), N seconds (60) for each of the three programs; a line that begins with 'fails:' or 'crashes:' names the
  seed and the number that --seed, --first and --plans repeat"
seconds=60 ranks=1 which=(texts readers)
while [[ $# -gt 0 ]]; do
  case "$1" in
    --texts | --readers) which=("${1#--}"); shift; continue ;;
    -h | --help) echo "$usage"; exit 0 ;;
    --seconds | --seed | --first | --plans | --ranks) [[ ${2:-} =~ ^[0-9]+$ ]] || usage_error "fuzz: $1 needs a number" "$usage" ;;
    *) usage_error "fuzz: unknown option '$1'" "$usage" ;;
  esac
  case "$1" in
    --seconds) seconds=$2 ;;
    --ranks) ranks=$2 ;;
    --seed) export SHARDFFT_TEST_SEED=$2 ;;
    --first) export SHARDFFT_RANDOM_FIRST=$2 ;;
    --plans) export SHARDFFT_RANDOM_PLANS=$2 ;;
  esac
  shift 2
done
export SHARDFFT_RANDOM_SECONDS=$seconds

texts() {
  local folder=$BUILD/fuzz
  mkdir -p "$folder"
  cmake -S "$ROOT" -B "$folder" -Wno-dev -DCMAKE_CXX_COMPILER_LAUNCHER="$COMPILER" -DMPI_C_COMPILER="$(mpi_tool mpicc)" \
    -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" -DSHARDFFT_TESTS=ON \
    '-DSHARDFFT_TESTS_ONLY=_random_texts$' -DSHARDFFT_COMPAT=OFF -DSHARDFFT_MKL=OFF -DSHARDFFT_SANITIZE=ON \
    '-DSHARDFFT_SANITIZE_WITHOUT=src/local/lanes_(256|512)' -DSHARDFFT_PRECOMPILE=ON -DSHARDFFT_TOGETHER=ON \
    -DSHARDFFT_TESTS_TOGETHER=ON -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1" > "$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; return 1; }
  cmake --build "$folder" --target mpi_plan_tests mpi_gpu_tests -j "$(jobs)" -- --no-print-directory -s > "$folder/build.log" 2>&1 ||
    { tail -50 "$folder/build.log" >&2; return 1; }
  # A fault of an address ends the program by a signal, so that it says at which text.
  local -x ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
  local program status=0
  for program in plan gpu; do mpi_run "$ranks" "$folder/tests/mpi_${program}_tests" '--gtest_filter=RandomTexts.*' || status=1; done
  return "$status"
}
readers() {
  bash "$ROOT/tools/build.sh" && bash "$ROOT/tools/make_venv.sh" tests &&
    "$VENV/bin/python" -m pytest -q -s -p no:cacheprovider "$ROOT/tests/fuzz"
}
bash "$ROOT/tools/install_dependencies.sh" tests
failed=()
for one in "${which[@]}"; do
  say "$one, $seconds s"
  "$one" || failed+=("$one")
done
[[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "fuzz: failed: ${failed[*]}"; }
