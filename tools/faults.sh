#!/usr/bin/env bash
# Puts faults into a copy of the library, one at a time, and tells which C++ tests find them. Minutes a fault.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
bash "$ROOT/tools/install_dependencies.sh" tests
folder=$BUILD/faults
hold_lock "$folder"
if [[ ! -d $folder/tree ]]; then
  mkdir -p "$folder/tree"
  git -C "$ROOT" ls-files -z | tar -C "$ROOT" --null -T - -c | tar -x -C "$folder/tree"
fi
mkdir -p "$folder/build"
cmake -S "$folder/tree" -B "$folder/build" -Wno-dev "-DCMAKE_CXX_FLAGS_RELEASE=-O1" -DMPI_C_COMPILER="$(mpi_tool mpicc)" \
  -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" -DMKL_ROOT="$VENV" -DSHARDFFT_TESTS=ON \
  -DSHARDFFT_COMPAT=ON -DSHARDFFT_TESTS_TOGETHER=ON -DCMAKE_LINK_DEPENDS_NO_SHARED=ON -DSHARDFFT_TEST_RANKS='1;2;3' \
  > "$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; die "cmake failed"; }
exec python3 "$ROOT/tools/faults.py" --tree "$folder/tree" --build "$folder/build" --jobs "$(jobs)" "$@"
