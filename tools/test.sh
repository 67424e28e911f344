#!/usr/bin/env bash
# Builds everything and runs all tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run test [--cpp | --python] [--all-ranks] [--skip PATTERN]
  builds, then runs the C++ tests (ctest) and the Python tests (pytest under 1, 2 and 4 ranks); one of them if asked
  --all-ranks     every C++ test with 6 and 8 ranks, not only those that have a case of their own there
  --skip PATTERN  without the C++ tests whose names match this regular expression"

cpp=yes python=yes all_ranks=OFF skipped=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --cpp) python=no ;;
    --python) cpp=no ;;
    --all-ranks) all_ranks=ON ;;
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
[[ $cpp == yes || $python == yes ]] || usage_error "test: give --cpp or --python, not both" "$usage"

options=(--test-all-ranks "$all_ranks")
[[ $cpp == yes ]] && options+=(--with-tests)
if [[ $python == yes ]]; then options+=(--with-python-tests); else options+=(--no-python); fi
bash "$ROOT/tools/build.sh" "${options[@]}"

# They seldom need more than one core, nor does what the documents show, and nothing judges their times.
harness_and_claims() {
  local status=0
  # Not the package in .venv, which a document installs anew meanwhile.
  PYTHONPATH=$ROOT/bench/harness SHARDFFT_BENCH_DRIVERS=$BUILD/rivals/bin "$VENV/bin/python" -m pytest -q -rs --color="$COLOR" \
    "$ROOT/tests/bench" || status=1
  "$VENV/bin/python" -m pytest -q -rsP --color="$COLOR" "$ROOT/tests/docs/test_claims.py" || status=1
  return $status
}

failed=()
if [[ $cpp == yes ]]; then
  say "C++ tests"
  GTEST_COLOR=$COLOR ctest --test-dir "$BUILD" --output-on-failure -j "$(test_jobs)" "${skipped[@]}" || failed+=("C++")
fi
if [[ $python == yes ]]; then
  for ranks in 1 2 4; do
    say "Python tests, $ranks ranks"
    mpi_run "$ranks" timeout 900 "$VENV/bin/python" -m pytest -q --color="$COLOR" --ignore="$ROOT/tests/python/gpu" \
      "$ROOT/tests/python" || failed+=("Python on $ranks ranks")
  done
  for ranks in 1 2 4; do
    say "Python tests of GPU arrays on the stand-in's devices, $ranks ranks"
    PYTHONPATH=$BUILD/python_standin mpi_run "$ranks" timeout 900 "$VENV/bin/python" -m pytest -q --color="$COLOR" \
      "$ROOT/tests/python/gpu" || failed+=("Python with GPU arrays on $ranks ranks")
  done
  bash "$ROOT/tools/build_drivers.sh"
  say "every command and code block of the documents, at a tiny size; beside them the benchmark harness and every claim"
  harness_and_claims > "$BUILD/harness.log" 2>&1 &
  beside=$!
  "$VENV/bin/python" -m pytest -q -rsP --color="$COLOR" --ignore="$ROOT/tests/docs/test_claims.py" "$ROOT/tests/docs" ||
    failed+=("documents")
  say "benchmark harness tests and claims"
  wait "$beside" || failed+=("benchmark harness or claims")
  cat "$BUILD/harness.log"
fi
[[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "failed: ${failed[*]}"; }
say "all tests passed"
