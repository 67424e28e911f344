#!/usr/bin/env bash
# Changes of layout from Python on two ranks: at 64^3 1.2 times mpi4py-fft's time at most, at 8 x 9 x 10 its time and 0.05 ms.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
bash "$ROOT/tools/build.sh"
if [[ " $* " != *" --tiny "* ]]; then
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check mpi4py-fft || die "mpi4py-fft could not be installed"
fi
mpi_run 2 "$VENV/bin/python" "$ROOT/claims/transfers.py" "$@"
