#!/usr/bin/env bash
# The share of communication that Cannon's products hide behind their local updates, measured on this machine.
# Called by tools/claim.sh, which has built and installed the library.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
claim_options cannon-overlap "$@"

ranks=2 mesh=2x1x1
if (($(cores) >= 8)); then ranks=8 mesh=2x2x2; fi
threads=$(($(cores) / ranks))
((threads < 1)) && threads=1
((threads > 8)) && threads=8
(($(cores) >= ranks)) || echo "run: this machine has fewer than $ranks cores; ranks share them" >&2
sizes=()
if [[ $TINY == yes ]]; then sizes=(--blocks 4,8,12 --repeats 2); fi
"$VENV/bin/python" "$ROOT/bench/cannon/overlap_model.py" --claim --mesh "$mesh" --threads "$threads" "${sizes[@]}" \
  --mpirun "$(mpi_tool mpirun)" --build "$BUILD/cannon" --prefix "$BUILD/install" --results "$INTO"
if [[ $TINY == yes ]]; then echo "cannon-overlap tiny=1: nothing is judged at this size"; fi
