#!/usr/bin/env bash
# Registers and spills of a sample of the line and plane kernels that plans compile when they need them: no spills that matter, and
# no more registers and shared memory than a multiprocessor of Hopper has. Needs the CUDA toolkit, but no GPU.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"

# Small and large radices, few and many points a thread, narrow and wide bundles, all prime factors up to 13; lengths whose odd
# rows have narrower bundles (576, 1080, 2048); planes of odd rows (525).
SAMPLE=(96 540 576 1001 1050 1080 2048 2160 96x600 392x686 490x480 525x525 1000x1000)

PATH=$PATH:/usr/local/cuda/bin
toolkit=$(command -v nvcc) || { echo "   skipped: there is no nvcc"; exit 0; }
toolkit=$(dirname "$(dirname "$(realpath "$toolkit")")")
[[ -e $toolkit/include/nvrtc.h ]] || { echo "   skipped: $toolkit has no NVRTC"; exit 0; }

into=$BUILD/kernel_code
mkdir -p "$into"
headers=$(sed -n '/_kernel_headers device/,/endforeach/p' cmake/gpu.cmake | grep -oE 'device/[a-z]+_(checks|cut|factors).hpp|[a-z_]+\.(cuh|hpp)' |
  sed -E 's,^([a-z_]+\.),device/cuda/lines/\1,' | paste -sd ';')
cmake -DOUT="$into/kernel_sources.cpp" -DROOT="$ROOT/src" "-DFILES=$headers" -P cmake/embed.cmake
"${CXX:-g++}" -std=c++20 -O1 -Iinclude -Isrc -isystem "$toolkit/include" -o "$into/warm_lines" bench/kernels/warm_lines.cpp \
  src/device/cuda/lines/{jit,nvrtc,compile_apart}.cpp src/device/{kernel_cache,line_recipe,line_cuts,plane_recipe}.cpp src/base/{own_folder,proof}.cpp \
  "$into/kernel_sources.cpp" -ldl -pthread
export LD_LIBRARY_PATH=$toolkit/lib64:${LD_LIBRARY_PATH:-} SHARDFFT_CACHE=$into/cache
rm -rf "$SHARDFFT_CACHE"
"$into/warm_lines" "${SAMPLE[@]}" > "$into/recipes.jsonl"
"$VENV/bin/python" bench/kernels/registers.py < "$into/recipes.jsonl"
