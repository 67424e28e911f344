#!/usr/bin/env bash
# gpu_claim.sh NAME GPUS ARGUMENT...: measures claims/NAME.py if there are so many GPUs, with drivers built in build/gpu: ours,
# cuFFT and cuFFTXt, and cuFFTMp if CUFFTMP_ROOT and NVSHMEM_ROOT name it (see docs/bench-adapters.md). If there are fewer,
# the claim judges the newest record.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
claim=$ROOT/claims/${1//-/_}.py wanted=$2
shift 2

python=$VENV/bin/python
[[ -x $python ]] || python=$(command -v python3) || die "no python3"
export PYTHONPATH=$ROOT/bench/harness
gpus=$(gpus_here)
if ((gpus < wanted)); then exec "$python" "$claim" "$@"; fi
command -v nvcc > /dev/null || die "there are GPUs, but no nvcc on the path"

hold_lock "$BUILD/gpu"
cmake -S "$ROOT" -B "$BUILD/gpu" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DSHARDFFT_GPU=CUDA \
  -DSHARDFFT_BENCH=ON -DCUFFTMP_ROOT="${CUFFTMP_ROOT:-}" -DNVSHMEM_ROOT="${NVSHMEM_ROOT:-}" \
  > "$BUILD/configure_gpu.log" 2>&1 || {
  cat "$BUILD/configure_gpu.log" >&2
  die "cmake failed; its words are above"
}
targets=(bench-shardfft-gpu bench-shardfft-group bench-cufft bench-cufftxt)
grep -q '"driver": "bench-cufftmp"' "$BUILD/gpu/bin/bench-manifest.json" && targets+=(bench-cufftmp)
cmake --build "$BUILD/gpu" -j "$(jobs)" --target "${targets[@]}" > "$BUILD/build_gpu.log" 2>&1 || {
  tail -30 "$BUILD/build_gpu.log" >&2
  die "the GPU drivers could not be built"
}
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH exec "$python" "$claim" --drivers "$BUILD/gpu/bin" "$@"
