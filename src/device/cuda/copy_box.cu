#include <algorithm>

#include "base/check.hpp"
#include "device/copy_box.hpp"
#include "device/cuda/vendor.hpp"
#include "device/facts.hpp"
#include "pack/loop_nest.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device {
namespace {

/// A loop nest as the kernels read it: axis 0 is the slowest.
struct Loops {
  int axes = 0;
  Loop axis[2 * max_axes];
};

Loops loops_of(const LoopNest& nest) {
  Loops loops;
  loops.axes = std::max(nest.depth, 1);  // a single element has no loops
  std::copy_n(nest.loop.begin(), nest.depth, loops.axis);
  return loops;
}

/// Offsets of the index-th point of the loops' first `axes` axes.
struct Offsets {
  long long from, to;
};
__device__ Offsets offsets(const Loops& loops, int axes, long long index) {
  Offsets at{0, 0};
  for (int a = axes - 1; a >= 0; --a) {
    const long long n = loops.axis[a].count, i = index % n;
    index /= n;
    at.from += i * loops.axis[a].from;
    at.to += i * loops.axis[a].to;
  }
  return at;
}

constexpr int in_flight = 4;  ///< loads of a thread before its first store

/// The division of rows among threads: `all` pieces, `of_row` of each row, of up to `length` elements.
struct Pieces {
  long long all, of_row, length;
};

/// Threads x walk along the last axis, which is contiguous on both sides except in rare layouts; threads y and blocks
/// walk over pieces of rows.
template <class Unit, bool contiguous>
__global__ void __launch_bounds__(256) copy_rows(const __grid_constant__ Loops loops, const Unit* source,
                                                 Unit* destination, const __grid_constant__ Pieces pieces) {
  const int last = loops.axes - 1;
  const long long step = blockDim.x;
  const long long from_stride = contiguous ? 1 : loops.axis[last].from,
                  to_stride = contiguous ? 1 : loops.axis[last].to;
  for (long long piece = blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y; piece < pieces.all;
       piece += static_cast<long long>(gridDim.x) * blockDim.y) {
    const Offsets at = offsets(loops, last, piece / pieces.of_row);
    const Unit* from = source + at.from;
    Unit* to = destination + at.to;
    const long long begin = piece % pieces.of_row * pieces.length;
    const long long length = min(begin + pieces.length, static_cast<long long>(loops.axis[last].count));
    for (long long i = begin + threadIdx.x; i < length; i += in_flight * step) {
      Unit held[in_flight];
#pragma unroll
      for (int k = 0; k < in_flight; ++k)
        if (i + k * step < length) held[k] = from[(i + k * step) * from_stride];
#pragma unroll
      for (int k = 0; k < in_flight; ++k)
        if (i + k * step < length) to[(i + k * step) * to_stride] = held[k];
    }
  }
}

/// Side of a square tile: tiles of small elements are larger, to have as many bytes in flight.
template <class Unit>
constexpr int tile_side = sizeof(Unit) == 16 ? 32 : 64;

/// The last two axes: [axes-2] contiguous in the source, [axes-1] in the destination. Tiles go through shared memory.
template <class Unit>
__global__ void __launch_bounds__(256) copy_transposed(const __grid_constant__ Loops loops, const Unit* source,
                                                       Unit* destination, int tiles_u, int tiles_v) {
  constexpr int side = tile_side<Unit>, step = 256 / side;
  __shared__ Unit buffer[side][side + 1];
  const int u_axis = loops.axes - 2, v_axis = loops.axes - 1;
  const unsigned inside = blockIdx.x % static_cast<unsigned>(tiles_u * tiles_v);
  const Offsets at = offsets(loops, u_axis, blockIdx.x / static_cast<unsigned>(tiles_u * tiles_v));
  const int u0 = static_cast<int>(inside) / tiles_v * side, v0 = static_cast<int>(inside) % tiles_v * side;
  const int nu = static_cast<int>(loops.axis[u_axis].count) - u0, nv = static_cast<int>(loops.axis[v_axis].count) - v0;
  const int lane = static_cast<int>(threadIdx.x) % side, first = static_cast<int>(threadIdx.x) / side;
  const Unit* from = source + at.from + u0 * loops.axis[u_axis].from + v0 * loops.axis[v_axis].from;
  Unit* to = destination + at.to + u0 * loops.axis[u_axis].to + v0 * loops.axis[v_axis].to;
#pragma unroll
  for (int k = 0; k < side / step; ++k) {
    const int row = first + k * step;
    if (lane < nu && row < nv) buffer[row][lane] = from[lane * loops.axis[u_axis].from + row * loops.axis[v_axis].from];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < side / step; ++k) {
    const int row = first + k * step;
    if (row < nu && lane < nv) to[row * loops.axis[u_axis].to + lane * loops.axis[v_axis].to] = buffer[lane][row];
  }
}

long long product(const Loops& loops, int axes) {
  long long n = 1;
  for (int a = 0; a < axes; ++a) n *= loops.axis[a].count;
  return n;
}

/// Moves axis `a` to place `place`; the others keep their order.
void move_axis(Loops& loops, int a, int place) {
  std::rotate(loops.axis + a, loops.axis + a + 1, loops.axis + place + 1);
}

int axis_of_stride_one(const Loops& loops, std::int64_t Loop::*stride) {
  for (int a = loops.axes - 1; a >= 0; --a)
    if (loops.axis[a].*stride == 1) return a;
  return loops.axes - 1;
}

template <class Unit>
void launch_rows(const Loops& loops, const std::byte* source, std::byte* destination, cudaStream_t stream) {
  const long long rows = product(loops, loops.axes - 1), length = loops.axis[loops.axes - 1].count;
  unsigned x = 1;
  while (x < 256 && (x < 32 ? x : in_flight * x) < length) x *= 2;
  const dim3 block(x, 256 / x);
  const long long most = static_cast<long long>(current_facts().multiprocessors) * gpu_defaults().copy_blocks;
  // If rows are few, they are cut so that every block has some. A piece fills whole turns of each thread's loop.
  const long long turn = static_cast<long long>(in_flight) * x;
  const long long wanted = std::clamp(most * block.y / std::max(rows, 1LL), 1LL, (length + turn - 1) / turn);
  const long long piece = ((length + wanted - 1) / wanted + turn - 1) / turn * turn;
  const long long of_row = (length + piece - 1) / piece;
  const Pieces pieces{rows * of_row, of_row, piece};
  const long long blocks = std::min<long long>((pieces.all + block.y - 1) / block.y, most);
  const bool contiguous = loops.axis[loops.axes - 1].from == 1 && loops.axis[loops.axes - 1].to == 1;
  const auto kernel = contiguous ? copy_rows<Unit, true> : copy_rows<Unit, false>;
  kernel<<<static_cast<unsigned>(blocks), block, 0, stream>>>(loops, reinterpret_cast<const Unit*>(source),
                                                              reinterpret_cast<Unit*>(destination), pieces);
}

/// The kernel counts its tiles, and elements along both axes, in 32 bits: larger copies are split in halves.
template <class Unit>
void launch_transposed(const Loops& loops, const std::byte* source, std::byte* destination, cudaStream_t stream) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  constexpr int side = tile_side<Unit>;
  const int u = loops.axes - 2, v = loops.axes - 1;
  const std::int64_t tiles_u = (loops.axis[u].count + side - 1) / side,
                     tiles_v = (loops.axis[v].count + side - 1) / side;
  const std::int64_t blocks = product(loops, u) * tiles_u * tiles_v;
  if (std::max({loops.axis[u].count, loops.axis[v].count, blocks}) > most) {
    const Loop& longest = *std::max_element(loops.axis, loops.axis + loops.axes,
                                            [](const Loop& a, const Loop& b) { return a.count < b.count; });
    const auto at = &longest - loops.axis;
    Loops first = loops, rest = loops;
    first.axis[at].count /= 2;
    rest.axis[at].count -= first.axis[at].count;
    const auto begin = first.axis[at].count * static_cast<std::int64_t>(sizeof(Unit));
    launch_transposed<Unit>(first, source, destination, stream);
    launch_transposed<Unit>(rest, source + begin * longest.from, destination + begin * longest.to, stream);
    return;
  }
  copy_transposed<Unit><<<static_cast<unsigned>(blocks), 256, 0, stream>>>(
      loops, reinterpret_cast<const Unit*>(source), reinterpret_cast<Unit*>(destination), static_cast<int>(tiles_u),
      static_cast<int>(tiles_v));
}

template <class Unit>
void launch(Loops loops, const std::byte* source, std::byte* destination, cudaStream_t stream) {
  const int u = axis_of_stride_one(loops, &Loop::from), v = axis_of_stride_one(loops, &Loop::to);
  if (u == v) {
    move_axis(loops, u, loops.axes - 1);
    launch_rows<Unit>(loops, source, destination, stream);
    return;
  }
  move_axis(loops, v, loops.axes - 1);
  move_axis(loops, u > v ? u - 1 : u, loops.axes - 2);
  launch_transposed<Unit>(loops, source, destination, stream);
}

/// Copies rows of small elements in 16-byte units if everything is aligned to them.
bool widen(Loops& loops, const std::byte* source, const std::byte* destination, std::size_t element_bytes) {
  const auto units = static_cast<std::int64_t>(16 / element_bytes);
  const int last = loops.axes - 1;
  if (units == 1 || loops.axis[last].from != 1 || loops.axis[last].to != 1 || loops.axis[last].count % units != 0)
    return false;
  if (reinterpret_cast<std::uintptr_t>(source) % 16 != 0 || reinterpret_cast<std::uintptr_t>(destination) % 16 != 0)
    return false;
  for (int a = 0; a < last; ++a)
    if (loops.axis[a].from % units != 0 || loops.axis[a].to % units != 0) return false;
  for (int a = 0; a < last; ++a) {
    loops.axis[a].from /= units;
    loops.axis[a].to /= units;
  }
  loops.axis[last].count /= units;
  return true;
}

}  // namespace

void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, void* stream) {
  const LoopNest nest = common_refinement(from, to);
  if (nest.empty) return;
  Loops loops = loops_of(nest);
  source += nest.from_offset * static_cast<std::int64_t>(element_bytes);
  destination += nest.to_offset * static_cast<std::int64_t>(element_bytes);
  const auto native = static_cast<cudaStream_t>(stream);
  if (element_bytes == 16 || widen(loops, source, destination, element_bytes))
    launch<double2>(loops, source, destination, native);
  else if (element_bytes == 8)
    launch<double>(loops, source, destination, native);
  else if (element_bytes == 4)
    launch<float>(loops, source, destination, native);
  else if (element_bytes == 2)
    launch<std::uint16_t>(loops, source, destination, native);
  else if (element_bytes == 1)
    launch<std::uint8_t>(loops, source, destination, native);
  else
    fail(Status::internal, "no GPU copy for elements of ", element_bytes, " bytes");
  check(cudaGetLastError(), "launch of a box copy");
}

}  // namespace shardfft::device
