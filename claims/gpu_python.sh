#!/usr/bin/env bash
# One GPU from Python: gradient steps in 1.3 times PyTorch's time, a kept plan's pair enqueued in 80 us; without a GPU, the last record.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
claim=$ROOT/claims/gpu_python.py
python=$VENV/bin/python
[[ -x $python ]] || python=$(command -v python3) || die "no python3"
if (($(gpus_here) == 0)); then exec "$python" "$claim" "$@"; fi

# The packages of GPUs are rarely those of .venv.
for with in "$python" "$(command -v python3)"; do
  if "$with" -c 'import cupy, jax, mpi4py, nanobind, torch' 2> /dev/null; then python=$with; fi
done
"$python" -c 'import mpi4py, nanobind' || die "mpi4py and nanobind are needed beside CuPy, PyTorch and JAX"
hold_lock "$BUILD/gpu"
cmake -S "$ROOT" -B "$BUILD/gpu" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DSHARDFFT_GPU=CUDA -DSHARDFFT_TESTS=ON \
  -DSHARDFFT_PYTHON_TESTS=ON -DPython_EXECUTABLE="$python" > "$BUILD/configure_gpu.log" 2>&1 || {
  cat "$BUILD/configure_gpu.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD/gpu" -j "$(jobs)" --target python_gpu > "$BUILD/build_gpu.log" 2>&1 || {
  tail -30 "$BUILD/build_gpu.log" >&2
  die "the Python package could not be built with CUDA"
}
PYTHONPATH=$BUILD/gpu/python_gpu XLA_PYTHON_CLIENT_PREALLOCATE=false exec "$python" "$claim" --gpu "$@"
