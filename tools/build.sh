#!/usr/bin/env bash
# Builds and installs into build/: build.sh [--with-tests] [--with-compat] [--with-python-tests] [--test-all-ranks ON|OFF] [--no-python].
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run build [--with-tests] [--with-compat] [--with-python-tests] [--test-all-ranks ON|OFF] [--no-python]
  the library and its headers go to build/install, the Python package into .venv"

targets=(shardfft shardfft_static shardfft_fortran) python=yes python_tests=OFF all_ranks=OFF compat=OFF
while [[ $# -gt 0 ]]; do
  case "$1" in
    --with-tests) targets+=(all) compat=ON ;;
    --with-compat) targets+=(shardfft_fftw_mpi shardfft_lammps) compat=ON ;;
    --with-python-tests) targets+=(python_standin) python_tests=ON ;;
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

bash "$ROOT/tools/install_dependencies.sh"
bash "$ROOT/tools/make_venv.sh"

hold_lock "$BUILD"
mpi=(-DMPI_C_COMPILER="$(mpi_tool mpicc)" -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)"
  -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" -DMPI_Fortran_COMPILER="$(mpi_tool mpifort)")
say "building the library with $(jobs) jobs"
cmake -S "$ROOT" -B "$BUILD" -Wno-dev --log-level=WARNING "${mpi[@]}" -DMKL_ROOT="$VENV" \
  -DSHARDFFT_PRECOMPILE="${PRECOMPILE:-ON}" -DSHARDFFT_TESTS=ON -DSHARDFFT_EXAMPLES=ON -DSHARDFFT_FORTRAN=ON -DSHARDFFT_TEST_ALL_RANKS="$all_ranks" -DSHARDFFT_COMPAT=$compat -DSHARDFFT_PYTHON_TESTS=$python_tests -DPython_EXECUTABLE="$VENV/bin/python" > "$BUILD/configure.log" 2>&1 || {
  cat "$BUILD/configure.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD" --target "${targets[@]}" -j "$(jobs)" -- --no-print-directory ||
  die "the build failed; the compiler's words are above"
cmake --install "$BUILD" --component development --prefix "$BUILD/install" > /dev/null

if [[ $python == yes ]]; then
  say "building the Python package"
  # The venv's own build tools and a kept build folder: the second build compiles only what changed.
  VIRTUAL_ENV=$VENV CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) "$VENV/bin/python" -m pip install --quiet \
    --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings build-dir="$BUILD/python" "${mpi[@]/#-D/--config-settings=cmake.define.}" \
    --config-settings cmake.define.SHARDFFT_USE_INSTALLED=ON \
    --config-settings cmake.define.CMAKE_PREFIX_PATH="$BUILD/install" \
    "$ROOT/bindings/python" || die "pip could not build the Python package"
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "$ROOT/bench/harness" ||
    die "pip could not install the benchmark harness"
fi
