#include "pack/cuda/copy_box.hpp"

#include <cuda_runtime.h>

#include "pack/cuda/loops.hpp"

namespace shardfft::cuda {
namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(Status::backend_failure, what, ": ", cudaGetErrorString(status));
}

/// Offsets of the index-th point of the loops' first `axes` axes.
struct Offsets {
  long long from, to;
};
__device__ Offsets offsets(const Loops& loops, int axes, long long index) {
  Offsets at{0, 0};
  for (int a = axes - 1; a >= 0; --a) {
    const long long n = loops.count[a], i = index % n;
    index /= n;
    at.from += i * loops.from[a];
    at.to += i * loops.to[a];
  }
  return at;
}

/// The last axis is contiguous on both sides: threads x walk along rows, threads y and blocks over rows.
template <class Unit>
__global__ void __launch_bounds__(256) copy_rows(const __grid_constant__ Loops loops, const Unit* source,
                                                 Unit* destination, long long rows) {
  const long long length = loops.count[loops.axes - 1], step = blockDim.x;
  for (long long row = blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y; row < rows;
       row += static_cast<long long>(gridDim.x) * blockDim.y) {
    const Offsets at = offsets(loops, loops.axes - 1, row);
    const Unit* from = source + at.from;
    Unit* to = destination + at.to;
    long long i = threadIdx.x;
    for (; i + 3 * step < length; i += 4 * step) {
      const Unit a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
      to[i] = a;
      to[i + step] = b;
      to[i + 2 * step] = c;
      to[i + 3 * step] = d;
    }
    for (; i < length; i += step) to[i] = from[i];
  }
}

constexpr int tile = 32;

/// The last two axes: [axes-2] contiguous in the source, [axes-1] in the destination. Tiles go through shared memory.
template <class Unit>
__global__ void __launch_bounds__(256) copy_transposed(const __grid_constant__ Loops loops, const Unit* source,
                                                       Unit* destination, long long tiles, int tiles_u, int tiles_v) {
  __shared__ Unit buffer[tile][tile + 1];
  const int u_axis = loops.axes - 2, v_axis = loops.axes - 1;
  for (long long index = blockIdx.x; index < tiles; index += gridDim.x) {
    const long long batch = index / (static_cast<long long>(tiles_u) * tiles_v);
    const int inside = static_cast<int>(index % (static_cast<long long>(tiles_u) * tiles_v));
    const long long u0 = inside / tiles_v * static_cast<long long>(tile), v0 = inside % tiles_v * static_cast<long long>(tile);
    const Offsets at = offsets(loops, u_axis, batch);
    for (int row = threadIdx.y; row < tile; row += blockDim.y)
      if (u0 + threadIdx.x < loops.count[u_axis] && v0 + row < loops.count[v_axis])
        buffer[row][threadIdx.x] = source[at.from + (u0 + threadIdx.x) * loops.from[u_axis] + (v0 + row) * loops.from[v_axis]];
    __syncthreads();
    for (int row = threadIdx.y; row < tile; row += blockDim.y)
      if (u0 + row < loops.count[u_axis] && v0 + threadIdx.x < loops.count[v_axis])
        destination[at.to + (u0 + row) * loops.to[u_axis] + (v0 + threadIdx.x) * loops.to[v_axis]] = buffer[threadIdx.x][row];
    __syncthreads();
  }
}

long long product(const Loops& loops, int axes) {
  long long n = 1;
  for (int a = 0; a < axes; ++a) n *= loops.count[a];
  return n;
}

/// Moves axis `a` to place `place`, keeping the order of the others.
void move_axis(Loops& loops, int a, int place) {
  for (std::int64_t* row : {loops.count, loops.from, loops.to}) {
    const std::int64_t kept = row[a];
    for (int i = a; i < place; ++i) row[i] = row[i + 1];
    row[place] = kept;
  }
}

int axis_of_stride_one(const Loops& loops, const std::int64_t* stride) {
  for (int a = loops.axes - 1; a >= 0; --a)
    if (stride[a] == 1) return a;
  return loops.axes - 1;
}

template <class Unit>
void launch_rows(const Loops& loops, const std::byte* source, std::byte* destination, cudaStream_t stream) {
  const long long rows = product(loops, loops.axes - 1), length = loops.count[loops.axes - 1];
  unsigned x = 1;
  while (x < 256 && x < length) x *= 2;
  const dim3 block(x, 256 / x);
  const long long blocks = std::min<long long>((rows + block.y - 1) / block.y, 132 * 64);
  copy_rows<Unit><<<static_cast<unsigned>(blocks), block, 0, stream>>>(loops, reinterpret_cast<const Unit*>(source),
                                                                       reinterpret_cast<Unit*>(destination), rows);
}

template <class Unit>
void launch(Loops loops, const std::byte* source, std::byte* destination, cudaStream_t stream) {
  const int u = axis_of_stride_one(loops, loops.from), v = axis_of_stride_one(loops, loops.to);
  if (u == v) {
    move_axis(loops, u, loops.axes - 1);
    launch_rows<Unit>(loops, source, destination, stream);
    return;
  }
  move_axis(loops, v, loops.axes - 1);
  move_axis(loops, u > v ? u - 1 : u, loops.axes - 2);
  const int tiles_u = static_cast<int>((loops.count[loops.axes - 2] + tile - 1) / tile);
  const int tiles_v = static_cast<int>((loops.count[loops.axes - 1] + tile - 1) / tile);
  const long long tiles = product(loops, loops.axes - 2) * tiles_u * tiles_v;
  copy_transposed<Unit><<<static_cast<unsigned>(std::min<long long>(tiles, 1 << 30)), dim3(tile, 8), 0, stream>>>(
      loops, reinterpret_cast<const Unit*>(source), reinterpret_cast<Unit*>(destination), tiles, tiles_u, tiles_v);
}

/// Rows of small elements move in 16-byte units where everything is aligned to them.
bool widen(Loops& loops, const std::byte* source, const std::byte* destination, std::size_t element_bytes) {
  const auto units = static_cast<std::int64_t>(16 / element_bytes);
  const int last = loops.axes - 1;
  if (units == 1 || loops.from[last] != 1 || loops.to[last] != 1 || loops.count[last] % units != 0) return false;
  if (reinterpret_cast<std::uintptr_t>(source) % 16 != 0 || reinterpret_cast<std::uintptr_t>(destination) % 16 != 0)
    return false;
  for (int a = 0; a < last; ++a)
    if (loops.from[a] % units != 0 || loops.to[a] % units != 0) return false;
  for (int a = 0; a < last; ++a) {
    loops.from[a] /= units;
    loops.to[a] /= units;
  }
  loops.count[last] /= units;
  return true;
}

}  // namespace

void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, void* stream) {
  Loops loops = common_loops(from, to);
  source += from.offset * static_cast<std::int64_t>(element_bytes);
  destination += to.offset * static_cast<std::int64_t>(element_bytes);
  if (loops.axes == 0) {  // a single element
    loops.axes = 1;
    loops.count[0] = loops.from[0] = loops.to[0] = 1;
  }
  if (product(loops, loops.axes) == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  if (element_bytes == 16 || widen(loops, source, destination, element_bytes))
    launch<double2>(loops, source, destination, native);
  else if (element_bytes == 8)
    launch<double>(loops, source, destination, native);
  else if (element_bytes == 4)
    launch<float>(loops, source, destination, native);
  else
    fail(Status::internal, "no GPU copy for elements of ", element_bytes, " bytes");
  check(cudaGetLastError(), "launch of a box copy");
}

}  // namespace shardfft::cuda
