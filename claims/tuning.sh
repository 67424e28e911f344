#!/usr/bin/env bash
# Drawn problems: the picks of estimate and measure against the best of all ways, and predicted times against measured ones.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
bash "$ROOT/tools/build.sh"
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH exec "$VENV/bin/python" "$ROOT/claims/tuning.py" "$@"
