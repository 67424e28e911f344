#pragma once
// The kernel of a pass. A persistent thread block walks over bundles of `Width` neighbouring lines; while one bundle
// is transformed in registers, the next one is on its way into shared memory. Neighbouring threads hold neighbouring
// lines, so results are stored from registers in runs of 16 * Width bytes, without staging.
#include "device/cuda/lines/kernel_pass.hpp"
#include "device/cuda/lines/line_fft.cuh"
#include "device/cuda/lines/tile_fetch.cuh"

namespace shardfft::device::lines {

/// First line of a tile: column in units of 8 bytes, and outer index. From column `end` on none are written.
struct Corner {
  int column, end;
  unsigned outer;
};
__device__ __forceinline__ Corner corner(const KernelPass& pass, unsigned tile, unsigned width) {
  const unsigned outer = pass.outer_begin + tile / pass.tiles_in_row;
  const unsigned skew = outer * pass.skew;
  const unsigned column = 2 * (pass.m_begin + tile % pass.tiles_in_row * width) - (skew & pass.skew_mask);
  return {static_cast<int>(column), static_cast<int>(pass.columns - (skew & pass.end_mask)), outer};
}

/// Column of a tile's map where its bundle begins.
__device__ __forceinline__ int column_in(const KernelInput& in, const Corner& at) {
  return at.column + (at.outer % 2 != 0 ? in.second : 0);
}

/// A TileCut as a type.
template <class C, int Width, bool Odd = false>
struct TileShape {
  static constexpr TileCut tile{C::line, Width, Odd};
  static constexpr int threads = tile.threads(), pitch = tile.pitch();
  static constexpr int tile_bytes = tile.tile_bytes(), row_bytes = tile.row_bytes();
};

/// By one thread: asks for all points of a tile.
template <class C, int Width, bool Odd>
__device__ __forceinline__ void fetch_tile(double2* tile_memory, const KernelPass& pass, unsigned tile,
                                           TileBarrier& barrier) {
  const Corner at = corner(pass, tile, Width);
  const int column = column_in(pass.in, at) & ~1, outer = static_cast<int>(at.outer >> pass.in.outer_shift);
  barrier.expect(pass.in.bytes);
  for (int owner = 0; owner < pass.in.owners; ++owner) {
    const int rows = pass.in.rows[owner], first = pass.in.begin[owner];
    const int points = pass.in.begin[owner + 1] - first;
    for (int row = 0; row < points; row += rows)
      fetch_box(tile_memory + (first + row) * TileShape<C, Width, Odd>::pitch, &pass.in.owner[owner], column, row,
                outer, barrier);
  }
}

/// Blocks of a cluster work on neighbouring bundles and ask for the next ones at the same time: memory then sees runs
/// of the whole cluster's width. Without clusters this costs nothing.
__device__ __forceinline__ void keep_step() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned cluster_size() {
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  return size;
}

/// The twiddles live in shared memory: the rest of the L1 cache is too small to keep them.
template <class C, class Factor>
__device__ __forceinline__ void load_table(Factor* to, const void* from) {
  for (unsigned i = threadIdx.x; i < C::table_size; i += blockDim.x) to[i] = static_cast<const Factor*>(from)[i];
}

/// What a thread takes out of a tile that has arrived.
template <class C, int Width, bool Backward, bool Odd, class T>
__device__ __forceinline__ void take(Cx<T> (&v)[C::E], const double2* tile, const Place& at, int half) {
  using Shape = TileShape<C, Width, Odd>;
  if constexpr (Odd) {
    const double* const mine = reinterpret_cast<const double*>(tile + at.t * Shape::pitch + at.lane) + half;
    each_point<C, 0>(at.t, [&](auto i, auto offset) {
      const double* const number = mine + offset * (2 * Shape::pitch);
      v[i] = unpack<Backward>(double2{number[0], number[1]}, static_cast<T*>(nullptr));
    });
  } else {
    const double2* const mine = tile + at.t * Width + at.lane;
    each_point<C, 0>(
        at.t, [&](auto i, auto offset) { v[i] = unpack<Backward>(mine[offset * Width], static_cast<T*>(nullptr)); });
  }
}

/// put(i, number): the 16 bytes of v[i] go to that number of 8 bytes; owner by owner.
template <class C, class Put>
__device__ __forceinline__ void each_place(const KernelOutput& out, const Corner& to, int column, unsigned t, Put put) {
  each_point<C, C::stages - 1>(t, [&](auto i, auto offset) {
    const int k = static_cast<int>(t) + offset;
    int q = 0;
    while (q + 1 < out.owners && k >= out.begin[q + 1]) ++q;
    const KernelOutput::Owner& owner = out.owner[q];
    put(i, static_cast<double*>(owner.base) + (to.outer * owner.outer_stride + column + 2 * (k * owner.line_stride)));
  });
}
/// The same where the output is not mixed.
template <class C, class Put>
__device__ __forceinline__ void each_shared_place(const KernelOutput& out, const Corner& to, int column, unsigned t,
                                                  Put put) {
  long long place[2];  // in units of 8 bytes
  each<2>([&](auto kind) { place[kind] = to.outer * out.outer_stride[kind] + column + 2 * t * out.line_stride[kind]; });
  each_point<C, C::stages - 1>(t, [&](auto i, auto /*offset*/) {
    put(i, static_cast<double*>(out.point[i]) + (out.far >> i & 1 ? place[1] : place[0]));
  });
}

template <class C, class T, bool Backward>
__device__ __forceinline__ void leave(const Cx<T> (&v)[C::E], const KernelOutput& out, const Corner& to,
                                      const Place& at) {
  const int column = to.column + 2 * static_cast<int>(at.lane);
  const bool first = column >= 0 && column < to.end, second = column + 1 >= 0 && column + 1 < to.end;
  const auto put = [&](auto i, double* number) { *reinterpret_cast<double2*>(number) = pack<Backward>(v[i]); };
  if (first && (Traits<T>::lines == 1 || second)) {
    if (out.mixed)
      each_place<C>(out, to, column, at.t, put);
    else
      each_shared_place<C>(out, to, column, at.t, put);
  } else if (Traits<T>::lines == 2 && (first || second)) {  // an end of a row
    each_place<C>(out, to, column, at.t, [&](auto i, double* number) {
      const double2 both = pack<Backward>(v[i]);
      number[first ? 0 : 1] = first ? both.x : both.y;
    });
  }
}

template <class C, class T, int Width, bool Backward, bool Odd>
__device__ __forceinline__ void run_pass(const KernelPass& pass) {
  using Scalar = typename Traits<T>::Scalar;
  using Shape = TileShape<C, Width, Odd>;
  extern __shared__ __align__(128) double2 shared[];
  __shared__ TileBarrier arrived;
  T* rows = reinterpret_cast<T*>(shared + Shape::tile_bytes / 16);
  auto* table = reinterpret_cast<typename Traits<T>::Factor*>(reinterpret_cast<char*>(rows) + Shape::row_bytes);
  load_table<C>(table, pass.table);
  const Place at{threadIdx.x / Width, threadIdx.x % Width, Width};

  unsigned tile = blockIdx.x, parity = 0;
  if (threadIdx.x == 0) {
    arrived.open();
    if (tile < pass.tiles) fetch_tile<C, Width, Odd>(shared, pass, tile, arrived);
  }
  __syncthreads();
  for (; tile < pass.tiles; tile += gridDim.x, parity ^= 1) {
    arrived.wait(parity);
    const Corner to = corner(pass, tile, Width);
    Cx<T> v[C::E];
    take<C, Width, Backward, Odd>(v, shared, at, column_in(pass.in, to) & 1);
    line_fft<C>(
        v, rows, at, table, [] { __syncthreads(); },
        [&] {
          keep_step();
          if (threadIdx.x == 0 && tile + gridDim.x < pass.tiles)
            fetch_tile<C, Width, Odd>(shared, pass, tile + gridDim.x, arrived);
        });
    if (pass.scale != 1) {
      const Scalar s = static_cast<Scalar>(pass.scale);
      each_point<C, C::stages - 1>(at.t, [&](auto i, auto /*offset*/) { v[i] = Cx<T>{s * v[i].re, s * v[i].im}; });
    }
    leave<C, T, Backward>(v, pass.out, to, at);
  }
  // The last tiles may be fewer than the cluster's blocks: those without one keep step with the others.
  const unsigned first = tile - blockIdx.x, size = cluster_size();
  if (first + blockIdx.x / size * size < pass.tiles) keep_step();
}

template <class C, class T, int Width, int Resident, bool Backward, bool Odd>
__global__ void __launch_bounds__(TileShape<C, Width>::threads, Resident)
    pass_kernel(const __grid_constant__ KernelPass pass) {
  run_pass<C, T, Width, Backward, Odd>(pass);
}

}  // namespace shardfft::device::lines
