#!/usr/bin/env bash
# Two GPUs: pairs at least 1.1 times as fast as cuFFTXt and cuFFTMp at 1024^3 and 1536^3; without a GPU, the last record.
# Called by tools/claim.sh, which has built and installed the library. CUFFTMP_ROOT and NVSHMEM_ROOT (see docs/bench-adapters.md)
# add cuFFTMp to the rivals.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"
claim_options gpu "$@"

python=$VENV/bin/python
[[ -x $python ]] || python=$(command -v python3) || die "no python3"
gpus=$( (nvidia-smi -L 2> /dev/null || true) | grep -c '^GPU ' || true)
if ((gpus < 2)); then
  exec "$python" "$ROOT/claims/gpu.py" recorded "$ROOT/bench/results" --because "this machine has $gpus NVIDIA GPUs; two are needed"
fi
command -v nvcc > /dev/null || die "there are GPUs, but no nvcc on the path"

mkdir -p "$BUILD"
cmake -S "$ROOT" -B "$BUILD/gpu" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DSHARDFFT_GPU=CUDA \
  -DSHARDFFT_TESTS=OFF -DSHARDFFT_EXAMPLES=OFF -DCUFFTMP_ROOT="${CUFFTMP_ROOT:-}" -DNVSHMEM_ROOT="${NVSHMEM_ROOT:-}" \
  > "$BUILD/configure_gpu.log" 2>&1 || {
  cat "$BUILD/configure_gpu.log" >&2
  die "cmake failed; its words are above"
}
targets=(gpu_slab_pair)
grep -q '"driver": "bench-cufftmp"' "$BUILD/gpu/bin/bench-manifest.json" && targets+=(bench-cufftmp)
cmake --build "$BUILD/gpu" -j "$(jobs)" --target "${targets[@]}" > "$BUILD/build_gpu.log" 2>&1 || {
  tail -30 "$BUILD/build_gpu.log" >&2
  die "the GPU drivers could not be built"
}

model=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | sed 's/^NVIDIA //; s/ .*//' | tr '[:upper:]' '[:lower:]')
into=$INTO/2x$model
mkdir -p "$into"
record=$into/slab_pair.jsonl
pair=$BUILD/gpu/bench/gpu/gpu_slab_pair
if [[ $TINY == yes ]]; then
  "$pair" -gpus 2 32 | tee "$record"
  echo "gpu tiny=1: nothing is judged at this size; records: $into"
  exit 0
fi
say "two GPUs"
"$pair" -gpus 2 -energy 1 256 512 768 1024 1536 | tee "$record"
"$pair" -gpus 2 -xt 0 -types D2Z,R2C 1024 | tee -a "$record"
say "one GPU"
"$pair" -gpus 1 512 1024 | tee -a "$record"
if [[ " ${targets[*]} " == *" bench-cufftmp "* ]]; then
  say "cuFFTMp"
  for n in 256 512 768 1024 1536; do
    for precision in double single; do
      mpi_run 2 "$BUILD/gpu/bin/bench-cufftmp" \
        "{\"shape\":[$n,$n,$n],\"precision\":\"$precision\",\"placement\":\"in\",\"warmups\":3}" "$record" ||
        echo "run: cuFFTMp failed at $n^3 $precision; it is left out" >&2
    done
  done
fi
echo "records: $into"
"$python" "$ROOT/claims/gpu.py" measured "$record"
