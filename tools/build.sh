#!/usr/bin/env bash
# Builds and installs into build/: build.sh [--with-tests] [--with-compat] [--with-python-tests] [--test-all-ranks ON|OFF] [--no-python].
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run build [--with-tests] [--with-compat] [--with-python-tests] [--test-all-ranks ON|OFF] [--no-python]
  the library and its headers go to build/install, the Python package into .venv"

targets=(shardfft shardfft_static) groups=() python=yes tests=OFF python_tests=OFF all_ranks=OFF compat=OFF
while [[ $# -gt 0 ]]; do
  case "$1" in
    --with-tests) targets+=(all) tests=ON compat=ON ;;
    --with-compat) compat=ON ;;
    --with-python-tests) targets+=(python_gpu) tests=ON python_tests=ON compat=ON ;;
    --no-python) python=no ;;
    --test-all-ranks)
      [[ ${2:-} =~ ^(ON|OFF)$ ]] || usage_error "build: --test-all-ranks needs ON or OFF, not \"${2:-}\"" "$usage"
      all_ranks=$2
      shift
      ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) usage_error "build: unknown option '$1'" "$usage" ;;
  esac
  shift
done

# `./run test` has built all of it: the claims and the demo that its documents call would only find that out, each in four
# seconds of processor time.
[[ ${SHARDFFT_BUILT:-} != "$BUILD" ]] || exit 0

# Tests that the build folder once had stay there: a build of the library only would take tests out, and the next test
# would put them in again.
was_on() { grep -q "^$1:.*=ON" "$BUILD/CMakeCache.txt" 2> /dev/null; }
if was_on SHARDFFT_TESTS; then tests=ON; fi
if was_on SHARDFFT_PYTHON_TESTS; then python_tests=ON; fi
if was_on SHARDFFT_COMPAT; then compat=ON; fi
[[ $tests == OFF ]] || groups=(tests) targets+=(shardfft_fortran)
[[ $compat == OFF ]] || targets+=(shardfft_fftw_mpi shardfft_lammps)
bash "$ROOT/tools/install_dependencies.sh" "${groups[@]}"
bash "$ROOT/tools/make_venv.sh" "${groups[@]}"

hold_lock "$BUILD"
mpi=(-DMPI_C_COMPILER="$(mpi_tool mpicc)" -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)"
  -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" -DMPI_Fortran_COMPILER="$(mpi_tool mpifort)")
say "building the library with $(jobs) jobs"
cmake -S "$ROOT" -B "$BUILD" -Wno-dev --log-level=WARNING "${mpi[@]}" -DMKL_ROOT="$VENV" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$COMPILER" -DSHARDFFT_PRECOMPILE="${PRECOMPILE:-ON}" \
  -DSHARDFFT_TOGETHER="${PRECOMPILE:-ON}" -DSHARDFFT_TESTS_TOGETHER="${PRECOMPILE:-ON}" \
  -DSHARDFFT_TESTS=$tests -DSHARDFFT_EXAMPLES=$tests -DSHARDFFT_FORTRAN=$tests -DSHARDFFT_COMPAT=$compat \
  -DSHARDFFT_TEST_ALL_RANKS="$all_ranks" -DSHARDFFT_PYTHON_TESTS=$python_tests \
  -DPython_EXECUTABLE="$VENV/bin/python" > "$BUILD/configure.log" 2>&1 || {
  cat "$BUILD/configure.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD" --target "${targets[@]}" -j "$(jobs)" -- --no-print-directory ||
  die "the build failed; the compiler's words are above"
cmake --install "$BUILD" --component development --prefix "$BUILD/install" > /dev/null

# Whether .venv holds the packages made of these very sources: documents are tested beside those who use them.
made_of() { find "$ROOT/bindings/python" "$ROOT"/bench/{harness,experiments,launchers,schema} "$BUILD/install/include" -type f \
  ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum; }
if [[ $python == yes && $(cat "$VENV/.shardfft" 2> /dev/null) != "$BUILD $(made_of)" ]]; then
  say "building the Python package"
  # The venv's own build tools and a kept build folder: the second build compiles only changed files.
  VIRTUAL_ENV=$VENV CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) "$VENV/bin/python" -m pip install --quiet \
    --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings build-dir="$BUILD/python" "${mpi[@]/#-D/--config-settings=cmake.define.}" \
    --config-settings cmake.define.SHARDFFT_USE_INSTALLED=ON \
    --config-settings cmake.define.CMAKE_PREFIX_PATH="$BUILD/install" \
    "$ROOT/bindings/python" || die "pip could not build the Python package"
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation \
    --no-deps "$ROOT/bench/harness" ||
    die "pip could not install the benchmark harness"
  echo "$BUILD $(made_of)" > "$VENV/.shardfft"
fi
