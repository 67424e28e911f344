#!/usr/bin/env bash
# 256^3 complex double on 2 ranks, there and back: not slower than FFTW's own MPI transform (ratio of medians <= 1).
# Called by tools/claim.sh, which has built and installed the library.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"

bash "$ROOT/tools/build_claims.sh"
(($(cores) >= 2)) || echo "run: this machine has one core; the two ranks share it" >&2
mpi_run 2 "$BUILD/claims/cpu_vs_fftw" --sizes 256 --claim cpu-vs-fftw
