#!/usr/bin/env bash
# Lines and branches of src that the C++ tests run, and those that none does. Minutes of building and testing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
case "${1:-}" in
  '') ;;
  -h | --help) echo "usage: ./run coverage
  builds the tests with counts in build/coverage, runs them, prints the share of lines of src in each folder that ran, and
  writes the others to build/coverage/missing.txt; exit code 0 only if all of src has 90 %, and each folder 80 %"; exit 0 ;;
  *) usage_error "coverage: unknown option '$1'" "usage: ./run coverage" ;;
esac
bash "$ROOT/tools/install_dependencies.sh" tests
folder=$BUILD/coverage
hold_lock "$folder"
# No counts are lost if several processes write them, and none if a test ends a process in the middle.
cmake -S "$ROOT" -B "$folder" -Wno-dev -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 --coverage -fprofile-update=atomic" \
  "-DCMAKE_C_FLAGS_DEBUG=--coverage" "-DCMAKE_SHARED_LINKER_FLAGS=--coverage" "-DCMAKE_EXE_LINKER_FLAGS=--coverage" \
  -DMPI_C_COMPILER="$(mpi_tool mpicc)" -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" \
  -DMKL_ROOT="$VENV" -DSHARDFFT_TESTS=ON -DSHARDFFT_COMPAT=ON -DSHARDFFT_TESTS_TOGETHER=ON -DSHARDFFT_TEST_RANKS='1;2;3;4' \
  > "$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; die "cmake failed"; }
cmake --build "$folder" -j "$(jobs)" -- --no-print-directory -s > "$folder/build.log" 2>&1 ||
  { tail -50 "$folder/build.log" >&2; die "the build failed"; }
find "$folder" -name '*.gcda' -delete
GTEST_COLOR=$COLOR ctest --test-dir "$folder" --output-on-failure --no-label-summary --progress -j "$(test_jobs)" --no-tests=error ||
  say "some tests failed; the counts are of what ran"
python3 "$ROOT/tools/coverage.py" "$folder" --missing "$folder/missing.txt" --jobs "$(cores)"
