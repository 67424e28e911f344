#!/usr/bin/env bash
# Compiles the kernels that suit any GPU (box copies, loops over elements, sums of checks, line passes that read by
# themselves) for AMD's, with Debian's hipcc: no library is made and nothing runs. Other line passes and plane passes need
# bulk tensor copies, which only NVIDIA has; the runtime and the FFTs are their makers': those an implementation of
# src/device for AMD would bring.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"

bash tools/install_dependencies.sh hip
mkdir -p "$BUILD/hip"
# compiled FILE: what hipcc says is shown where it fails.
compiled() {
  local log
  log=$BUILD/hip/$(basename "${1%.*}")
  # __grid_constant__ is a promise to nvcc that arguments stay where they are; other compilers do not know the word.
  hipcc -x hip --offload-arch="${SHARDFFT_HIP_ARCH:-gfx90a}" -std=c++20 -O2 -Wall -Werror -Iinclude -Isrc -D__grid_constant__= \
    -c "$1" -o "$log.o" 2> "$log.log" || { cat "$log.log" >&2; die "hipcc does not compile $(basename "$1")"; }
  echo "$(basename "$1"): compiled"
}
for kernels in copy_box half_lines modes pointwise sums; do compiled "src/device/cuda/$kernels.cu"; done

# As src/device/cuda/lines/jit.cpp writes them.
cat > "$BUILD/hip/plain_pass.cu" << 'TEXT'
#include "device/cuda/lines/plain_kernel.cuh"
using namespace shardfft::device::lines;
using Lines = CutOf<1000, 100, 10, 10, 10>;
using Uneven = CutOf<1155, 77, 11, 15, 7>;
extern "C" __global__ void __launch_bounds__(800, 1) forward(const __grid_constant__ PlainPass pass) {
  run_plain_pass<Lines, double, 8, false, false>(pass);
}
extern "C" __global__ void __launch_bounds__(616, 1) backward(const __grid_constant__ PlainPass pass) {
  run_plain_pass<Uneven, Twin, 8, true, true>(pass);
}
TEXT
compiled "$BUILD/hip/plain_pass.cu"
