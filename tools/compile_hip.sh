#!/usr/bin/env bash
# Compiles the kernels that suit any GPU (box copies, loops over elements) for AMD's, with Debian's hipcc: no library is
# made and nothing runs. Line and plane passes need bulk tensor copies, which only NVIDIA has; the runtime and the FFTs
# are their makers': those an implementation of src/device for AMD would bring.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"

bash tools/install_dependencies.sh hip
mkdir -p "$BUILD/hip"
for kernels in copy_box pointwise; do
  # __grid_constant__ is a promise to nvcc that arguments stay where they are; other compilers do not know the word.
  hipcc -x hip --offload-arch="${SHARDFFT_HIP_ARCH:-gfx90a}" -std=c++20 -O2 -Wall -Werror -Iinclude -Isrc -D__grid_constant__= \
    -c "src/device/cuda/$kernels.cu" -o "$BUILD/hip/$kernels.o" 2> "$BUILD/hip/$kernels.log" ||
    { cat "$BUILD/hip/$kernels.log" >&2; die "hipcc does not compile $kernels.cu"; }
  echo "$kernels.cu: compiled"
done
