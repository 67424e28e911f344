#!/usr/bin/env bash
# Builds drivers of bench/ in build/rivals, against the library that build.sh has put into build/install; build_drivers.sh
# [TARGET...]: all of them if none is named. BENCH_ADAPTERS names folders with further drivers.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ ${SHARDFFT_BUILT:-} != "$BUILD" ]] || exit 0  # as build.sh
hold_lock "$BUILD/rivals"
cmake -S "$ROOT/bench" -B "$BUILD/rivals" -Wno-dev --log-level=WARNING -DMKL_ROOT="$VENV" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$COMPILER" -DMPI_C_COMPILER="$(mpi_tool mpicc)" -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" \
  -DCMAKE_PREFIX_PATH="$BUILD/install;${RIVALS_PREFIX:-}" -DBENCH_ADAPTERS="${BENCH_ADAPTERS:-}" \
  > "$BUILD/configure_rivals.log" 2>&1 || {
  cat "$BUILD/configure_rivals.log" >&2
  die "cmake failed; its words are above"
}
targets=()
[[ $# -eq 0 ]] || targets=(--target "$@")
cmake --build "$BUILD/rivals" "${targets[@]}" -j "$(jobs)" -- --no-print-directory -s || die "the drivers could not be built"
