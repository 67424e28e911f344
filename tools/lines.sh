#!/usr/bin/env bash
# Times lines in cache on one core: every set of instructions of the local FFT lanes, FFTW, and oneMKL if the build has it.
# Arguments as bench/kernels/lines.cpp takes them; its JSON lines are the standard output; messages of the build go to the other.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
{
  bash "$ROOT/tools/build.sh" --no-python
  cmake --build "$BUILD" --target cpu_lines -j "$(jobs)" -- --no-print-directory
} >&2
OMP_NUM_THREADS=1 exec "$BUILD/bench/kernels/cpu_lines" "$@"
