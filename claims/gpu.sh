#!/usr/bin/env bash
# Two GPUs: plans 1.1 times as fast as cuFFTXt and cuFFTMp at 1024^3 and 1536^3; without GPUs, the last record.
# Called by tools/claim.sh, which has built and installed the library. CUFFTMP_ROOT and NVSHMEM_ROOT (see docs/bench-adapters.md)
# add cuFFTMp to the rivals.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"

python=$VENV/bin/python
[[ -x $python ]] || python=$(command -v python3) || die "no python3"
export PYTHONPATH=$ROOT/bench/harness
gpus=$( (nvidia-smi -L 2> /dev/null || true) | grep -c '^GPU ' || true)
if ((gpus < 2)); then exec "$python" "$ROOT/claims/gpu.py" "$@"; fi
command -v nvcc > /dev/null || die "there are GPUs, but no nvcc on the path"

hold_lock "$BUILD/gpu"
cmake -S "$ROOT" -B "$BUILD/gpu" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DSHARDFFT_GPU=CUDA \
  -DSHARDFFT_TESTS=OFF -DSHARDFFT_EXAMPLES=OFF -DCUFFTMP_ROOT="${CUFFTMP_ROOT:-}" -DNVSHMEM_ROOT="${NVSHMEM_ROOT:-}" \
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
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH exec "$python" "$ROOT/claims/gpu.py" --drivers "$BUILD/gpu/bin" "$@"
