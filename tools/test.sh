#!/usr/bin/env bash
# Builds everything and runs all tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run test [--cpp | --python | --gpu [--sanitize]] [--all-ranks] [--skip PATTERN]
  builds, then runs the C++ tests (ctest), the Python tests (pytest under 1 and 2 ranks, and under 4 where it matters), and
  what the documents show; one half of it if asked. The last lines say what took longest
  --gpu           instead of all this, the tests of plans on the GPUs of this machine, built with CUDA in build/gpu
  --sanitize      instead, 25 random plans on a GPU under each of compute-sanitizer's tools memcheck and racecheck
  --all-ranks     every C++ test with 1, 2, 3, 4, 6 and 8 ranks, every Python test with 4, and LAMMPS' 1000 steps, which
                  take minutes; else what depends on the number of ranks runs with those that it depends on
  --skip PATTERN  without the C++ tests whose names match this regular expression"

cpp=yes python=yes gpu=no sanitize=no all_ranks=OFF skipped=
while [[ $# -gt 0 ]]; do
  case "$1" in
    --cpp) python=no ;;
    --python) cpp=no ;;
    --all-ranks) all_ranks=ON ;;
    --gpu) gpu=yes ;;
    --sanitize) sanitize=yes ;;
    --skip)
      [[ -n ${2:-} ]] || usage_error "test: --skip needs a pattern" "$usage"
      skipped=$2
      shift
      ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) usage_error "test: unknown option '$1'" "$usage" ;;
  esac
  shift
done
[[ $sanitize == no || $gpu == yes ]] || usage_error "test: --sanitize goes with --gpu" "$usage"
[[ $sanitize == no ]] || exec bash "$ROOT/tools/test_gpu.sh" --sanitize
[[ $gpu == no ]] || exec bash "$ROOT/tools/test_gpu.sh" ${skipped:+-E "$skipped"}
[[ $cpp == yes || $python == yes ]] || usage_error "test: give --cpp or --python, not both" "$usage"

if [[ $all_ranks == OFF ]]; then
  # Suites in namespaces of their own run on three ranks alone, so they stay.
  left="^$(any_of "${on_three[@]}")(_test_(failures|limits|post_order|refused))?_3\$|^mpi_gpu_test_verify_3\$|^compat_lammps_drift\$"
  skipped=$left${skipped:+|$skipped}
fi
options=(--test-all-ranks "$all_ranks")
[[ $cpp == yes ]] && options+=(--with-tests)
if [[ $python == yes ]]; then options+=(--with-python-tests); else options+=(--no-python); fi
mkdir -p "$BUILD"
export SHARDFFT_SECONDS=$BUILD/seconds.txt
bash "$ROOT/tools/build.sh" "${options[@]}"
[[ $python == no ]] || BENCH_ADAPTERS=$ROOT/tests/bench/outside bash "$ROOT/tools/build_drivers.sh"
export SHARDFFT_BUILT=$BUILD

# program NAME COMMAND...: a program whose time is told at the end.
program() { "$ROOT/tools/seconds.sh" program "$@"; }
# python_tests NAME RANKS ARGUMENT...: by pytest, under mpirun.
python_tests() {
  local name="$1, $2 ranks" ranks=$2
  shift 2
  # Tests that matter on four ranks are marked.
  [[ $ranks -lt 4 || $all_ranks == ON ]] || set -- -m ranks "$@"
  say "$name"
  measured_as=$name OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1 mpi_run "$ranks" timeout 900 "$VENV/bin/python" -m pytest -q --color="$COLOR" "$@" || failed+=("$name")
}

documents() {
  "$VENV/bin/python" -m pytest -q -rfEsP --color="$COLOR" --ignore="$ROOT/tests/docs/test_claims.py" "$ROOT/tests/docs"
}
harness_and_claims() {
  local status=0
  PYTHONPATH=$ROOT/bench/harness SHARDFFT_BENCH_DRIVERS=$BUILD/rivals/bin program "benchmark harness tests" \
    "$VENV/bin/python" -m pytest -q -rfEs --color="$COLOR" "$ROOT/tests/bench" || status=1
  "$VENV/bin/python" -m pytest -q -rfEs --color="$COLOR" "$ROOT/tests/fuzz" || status=1
  "$VENV/bin/python" -m pytest -q -rfEsP --color="$COLOR" "$ROOT/tests/docs/test_claims.py" || status=1
  return $status
}

# cpp_tests NICENESS CTEST-OPTION...
cpp_tests() {
  GTEST_COLOR=$COLOR nice -n "$1" ctest --test-dir "$BUILD" --output-on-failure --no-label-summary -j "$(test_jobs)" "${@:2}" ||
    failed+=("C++")
}

failed=()
# Ranks that wait for each other look again and again, and give their core away in between. If a process that computes gets
# it, they have it back milliseconds later: beside one such process a test of 8 ranks took 20 times as long on two cores. So
# tests of several ranks, whose names end with how many, have the machine to themselves. Later tests fill it; C++
# tests of one process take the cores that documents and drivers leave, which start ranks now and then.
several='_[2-9]$'
on_standin="Python tests of GPU arrays on the stand-in's devices"
if [[ $cpp == yes ]]; then
  say "C++ tests of several ranks"
  cpp_tests 0 -R "$several" ${skipped:+-E "$skipped"}
fi
if [[ $python == yes ]]; then
  for ranks in 2 4; do
    python_tests "Python tests" $ranks --ignore="$ROOT/tests/python/gpu" "$ROOT/tests/python"
    PYTHONPATH=$BUILD/python_gpu python_tests "$on_standin" $ranks "$ROOT/tests/python/gpu"
  done
  documents > "$BUILD/documents.log" 2>&1 &
  documents=$!
  harness_and_claims > "$BUILD/harness.log" 2>&1 &
  harness=$!
  python_tests "Python tests" 1 --ignore="$ROOT/tests/python/gpu" "$ROOT/tests/python"
  PYTHONPATH=$BUILD/python_gpu python_tests "$on_standin" 1 "$ROOT/tests/python/gpu"
fi
if [[ $cpp == yes ]]; then
  say "C++ tests of one process"
  cpp_tests 10 -E "$several${skipped:+|$skipped}"
fi
if [[ $python == yes ]]; then
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
