#!/usr/bin/env bash
# Times lines in cache on one core: every set of instructions of the local FFT lanes, FFTW, and oneMKL where the build has it.
# Arguments as bench/kernels/lines.cpp takes them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
bash "$ROOT/tools/build.sh" --no-python
"${CXX:-g++}" -std=c++20 -O2 -I"$ROOT/include" -I"$ROOT/src" "$ROOT/bench/kernels/lines.cpp" \
  -L"$BUILD" -lshardfft -Wl,-rpath,"$BUILD" -o "$BUILD/lines"
OMP_NUM_THREADS=1 "$BUILD/lines" "$@"
