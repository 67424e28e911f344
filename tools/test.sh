#!/usr/bin/env bash
# Builds everything and runs all tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run test [--cpp | --python | --gpu] [--all-ranks] [--skip PATTERN]
  builds, then runs the C++ tests (ctest), the Python tests (pytest under 1 and 2 ranks, and under 4 where it matters), and
  what the documents show; one half of it if asked. The last lines say what took longest
  --gpu           instead of all this, the tests of plans on the GPUs of this machine, built with CUDA in build/gpu
  --all-ranks     every C++ test with 1, 2, 3, 4, 6 and 8 ranks, and every Python test with 4
  --skip PATTERN  without the C++ tests whose names match this regular expression"

cpp=yes python=yes gpu=no all_ranks=OFF skipped=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --cpp) python=no ;;
    --python) cpp=no ;;
    --all-ranks) all_ranks=ON ;;
    --gpu) gpu=yes ;;
    --skip)
      [[ -n ${2:-} ]] || usage_error "test: --skip needs a pattern" "$usage"
      skipped=(-E "$2")
      shift
      ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) usage_error "test: unknown option '$1'" "$usage" ;;
  esac
  shift
done
[[ $gpu == no ]] || exec bash "$ROOT/tools/test_gpu.sh" "${skipped[@]}"
[[ $cpp == yes || $python == yes ]] || usage_error "test: give --cpp or --python, not both" "$usage"

options=(--test-all-ranks "$all_ranks")
[[ $cpp == yes ]] && options+=(--with-tests)
if [[ $python == yes ]]; then options+=(--with-python-tests); else options+=(--no-python); fi
mkdir -p "$BUILD"
export SHARDFFT_SECONDS=$BUILD/seconds.txt
bash "$ROOT/tools/build.sh" "${options[@]}"
[[ $python == no ]] || bash "$ROOT/tools/build_drivers.sh"

# program NAME COMMAND...: a program whose time is told at the end.
program() { "$ROOT/tools/seconds.sh" program "$@"; }
# python_tests NAME RANKS ARGUMENT...: by pytest, under mpirun.
python_tests() {
  local name="$1, $2 ranks" ranks=$2
  shift 2
  # What matters on four ranks is marked.
  [[ $ranks -lt 4 || $all_ranks == ON ]] || set -- -m ranks "$@"
  say "$name"
  measured_as=$name OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1 mpi_run "$ranks" timeout 900 "$VENV/bin/python" -m pytest -q --color="$COLOR" "$@" || failed+=("$name")
}

# These seldom need more than one core, and nothing judges their times: they run beside the other tests.
documents() {
  "$VENV/bin/python" -m pytest -q -rsP --color="$COLOR" --ignore="$ROOT/tests/docs/test_claims.py" "$ROOT/tests/docs"
}
harness_and_claims() {
  local status=0
  PYTHONPATH=$ROOT/bench/harness SHARDFFT_BENCH_DRIVERS=$BUILD/rivals/bin program "benchmark harness tests" \
    "$VENV/bin/python" -m pytest -q -rs --color="$COLOR" "$ROOT/tests/bench" || status=1
  "$VENV/bin/python" -m pytest -q -rsP --color="$COLOR" "$ROOT/tests/docs/test_claims.py" || status=1
  return $status
}

failed=()
if [[ $python == yes ]]; then
  documents > "$BUILD/documents.log" 2>&1 &
  documents=$!
  harness_and_claims > "$BUILD/harness.log" 2>&1 &
  harness=$!
fi
if [[ $cpp == yes ]]; then
  say "C++ tests"
  GTEST_COLOR=$COLOR ctest --test-dir "$BUILD" --output-on-failure --no-label-summary -j "$(test_jobs)" "${skipped[@]}" || failed+=("C++")
fi
if [[ $python == yes ]]; then
  for ranks in 1 2 4; do python_tests "Python tests" $ranks --ignore="$ROOT/tests/python/gpu" "$ROOT/tests/python"; done
  export PYTHONPATH=$BUILD/python_standin
  for ranks in 1 2 4; do python_tests "Python tests of GPU arrays on the stand-in's devices" $ranks "$ROOT/tests/python/gpu"; done
  say "every command and code block of the documents, at a tiny size"
  wait "$documents" || failed+=("documents")
  cat "$BUILD/documents.log"
  say "benchmark harness tests and claims"
  wait "$harness" || failed+=("benchmark harness or claims")
  cat "$BUILD/harness.log"
fi
bash "$ROOT/tools/slowest.sh" "$SHARDFFT_SECONDS" source program document
[[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "failed: ${failed[*]}"; }
say "all tests passed"
