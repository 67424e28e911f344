#!/usr/bin/env bash
# Puts faults into a copy of the library, one at a time, and tells which C++ tests find them. Minutes a fault.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
bash "$ROOT/tools/install_dependencies.sh" tests
folder=$BUILD/faults
hold_lock "$folder"
# Files that did not change keep their time.
mkdir -p "$folder/tree" "$folder/build"
cd "$ROOT"
git ls-files | sort > "$folder/files"
(cd "$folder/tree" && find . -type f -printf '%P\n' | sort | comm -13 "$folder/files" - | xargs -rd '\n' rm)
while IFS= read -r file; do
  cmp -s "$file" "$folder/tree/$file" || cp --parents "$file" "$folder/tree"
done < "$folder/files"
cmake -S "$folder/tree" -B "$folder/build" -Wno-dev "-DCMAKE_CXX_FLAGS_RELEASE=-O1" -DMPI_C_COMPILER="$(mpi_tool mpicc)" \
  -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" -DMKL_ROOT="$VENV" -DSHARDFFT_TESTS=ON \
  -DSHARDFFT_COMPAT=ON -DSHARDFFT_TESTS_TOGETHER=ON -DCMAKE_LINK_DEPENDS_NO_SHARED=ON -DSHARDFFT_TEST_RANKS='1;2;3' \
  > "$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; die "cmake failed"; }
exec python3 "$ROOT/tools/faults.py" --tree "$folder/tree" --build "$folder/build" --jobs "$(jobs)" "$@"
