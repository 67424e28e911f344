#!/usr/bin/env bash
# Simulated times of plans on one and two ranks of this machine: median error 15 % at most, worst 40 %; figures from `shardfft doctor`.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
if [[ " $* " == *" --tiny "* ]]; then
  # The whole way needs another build of the library, and SimGrid; the part `sim` of .ci/run simulates such plans.
  echo "simulation (nothing is judged at this size)"
  exit 0
fi
bash "$ROOT/tools/simulator.sh"
bash "$ROOT/tools/build.sh"
export PYTHONPATH=$ROOT/bench/harness SHARDFFT_SIM=$BUILD/sim/sim
PATH=$VENV/bin:$(dirname "$(mpi_tool mpirun)"):$PATH exec "$VENV/bin/python" "$ROOT/claims/simulation.py" "$@"
