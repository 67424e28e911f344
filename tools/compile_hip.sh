#!/usr/bin/env bash
# Compiles the kernels that suit any GPU (those that know the vendor's runtime by device/cuda/vendor.hpp, and line passes that
# read by themselves) to the assembly of AMD's GPUs, with a clang that knows them and Debian's headers of HIP: no library is
# made and nothing runs. Other line passes and plane passes need bulk tensor copies, which only NVIDIA has; the runtime and
# the FFTs are their makers': those an implementation of src/device for AMD would bring.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"

bash tools/install_dependencies.sh hip
mkdir -p "$BUILD/hip"

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
extern "C" __global__ void __launch_bounds__(616, 1) checked(const __grid_constant__ PlainPass pass) {
  run_plain_pass<Uneven, double, 8, false, false, Checks::weights_held>(pass);
}
TEXT

# compiled ARCHITECTURE FILE: shows the compiler's output only if it fails.
compiled() {
  local log
  log=$BUILD/hip/$1-$(basename "${2%.*}")
  # __grid_constant__ is a promise to nvcc that arguments are not moved; other compilers do not know the word. GCC 12's
  # own headers use declarations that they call deprecated.
  clang-19 -x hip --offload-arch="$1" --offload-device-only -nogpulib -D__HIP_PLATFORM_AMD__=1 -D__grid_constant__= \
    -std=c++20 -O1 -Wall -Werror -Wno-deprecated-declarations -Iinclude -Isrc -S "$2" -o "$log.s" 2> "$log.log" ||
    { cat "$log.log" >&2; die "clang does not compile $2 for $1"; }
}
export -f compiled die
export BUILD
mapfile -t kernels < <(grep -rl --include='*.cu' '"device/cuda/vendor.hpp"' src/device/cuda | sort)
# Sources are the same for all of their GPUs: of the second one the kernel with most of them is enough.
printf '%s\0' gfx942 "$BUILD/hip/plain_pass.cu" gfx90a "$BUILD/hip/plain_pass.cu" "${kernels[@]/#/gfx90a%}" | tr % '\0' |
  xargs -0 -n 2 -P "$(jobs)" bash -c 'compiled "$0" "$1"'
echo "compiled for gfx90a and gfx942: a line pass; for gfx90a: ${kernels[*]##*/}"
