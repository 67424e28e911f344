#!/usr/bin/env bash
# The simulator of docs/simulation.md: the library with SimGrid's SMPI as its MPI, in a build folder of its own.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run simulator
  builds the simulator into build/sim, for 'shardfft simulate' and 'shardfft-bench simulate'; needs SimGrid (libsimgrid-dev)"
case "${1:-}" in
  '') ;;
  -h | --help) echo "$usage"; exit 0 ;;
  *) usage_error "simulator: unknown option '$1'" "$usage" ;;
esac

bash "$ROOT/tools/install_dependencies.sh" sim
hold_lock "$BUILD/sim"
say "building the simulator with $(jobs) jobs"
cmake -S "$ROOT" -B "$BUILD/sim" -Wno-dev -DCMAKE_CXX_COMPILER_LAUNCHER="$COMPILER" -DSHARDFFT_SIM=ON -DSHARDFFT_TOGETHER=ON \
  -DSHARDFFT_PRECOMPILE=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O1 > "$BUILD/sim/configure.log" 2>&1 || {
  cat "$BUILD/sim/configure.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD/sim" --target shardfft_sim shardfft_platform -j "$(jobs)" -- --no-print-directory ||
  die "the build failed; the compiler's words are above"
