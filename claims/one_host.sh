#!/usr/bin/env bash
# Two ranks on two cores: at least 1.5 times as fast as the best rival (1.9 at 256^3), and hardly slower than threads.
# Called by tools/claim.sh, which has built and installed the library. With an argument, another claim of one_host.py.
# RIVALS_PREFIX: CMake prefixes of further rivals (SpFFT, dtFFT), separated by semicolons.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"

(($(cores) >= 2)) || echo "run: this machine has one core; the two ranks share it" >&2
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check PyYAML jsonschema numpy mpi4py-fft ||
  echo "run: mpi4py-fft could not be installed; it is left out" >&2
cmake -S "$ROOT/bench" -B "$BUILD/rivals" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DMKL_ROOT="$VENV" \
  -DMPI_C_COMPILER="$(mpi_tool mpicc)" -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" \
  -DCMAKE_PREFIX_PATH="$BUILD/install;${RIVALS_PREFIX:-}" > "$BUILD/configure_rivals.log" 2>&1 || {
  cat "$BUILD/configure_rivals.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD/rivals" -j "$(jobs)" -- --no-print-directory -s || die "the drivers could not be built"
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH PYTHONPATH=$ROOT/bench/harness "$VENV/bin/python" "$ROOT/claims/one_host.py" \
  "${1:-one-host}" --drivers "$BUILD/rivals/bin"
