#pragma once
// The kernel of a pass. A persistent thread block walks over bundles of `Width` neighbouring lines; while one bundle
// is transformed in registers, the next one is on its way into shared memory. Neighbouring threads hold neighbouring
// lines, so results are stored from registers in runs of 16 * Width bytes, without staging.
#include "device/cuda/lines/line_factors.cuh"
#include "device/cuda/lines/line_sums.cuh"
#include "device/cuda/lines/pass_places.cuh"
#include "device/cuda/lines/tile_fetch.cuh"

namespace shardfft::device::lines {

/// For odd rows: the map that has a point, and the first column of a bundle there.
__device__ __forceinline__ unsigned map_of(const Corner& at, unsigned point) { return at.outer % 2 * 2 + point % 2; }
__device__ __forceinline__ int column_in(const KernelInput& in, const Corner& at, unsigned map) {
  return at.column + static_cast<int>(in.shifted >> map & 1);
}

/// A TileCut as a type.
template <class C, int Width, bool Odd = false>
struct TileShape {
  static constexpr TileCut tile{C::line, Width, Odd};
  static constexpr int threads = tile.threads(), pitch = tile.pitch();
  static constexpr int box_rows = tile.box_rows(), set_rows = tile.set_rows();
  static constexpr int tile_bytes = tile.tile_bytes(), row_bytes = tile.row_bytes();
};

/// Called by one thread: requests all points of a tile.
template <class C, int Width, bool Odd>
__device__ __forceinline__ void fetch_tile(double2* tile_memory, const KernelPass& pass, unsigned tile,
                                           TileBarrier& barrier) {
  using Shape = TileShape<C, Width, Odd>;
  const Corner at = corner(pass, tile, Width);
  barrier.expect(pass.in.bytes);
  if constexpr (Odd) {
    for (int point = 0; point < 2; ++point) {
      const unsigned map = map_of(at, point);
      const int column = column_in(pass.in, at, map) & ~1;
      for (int row = 0; row < Shape::set_rows; row += Shape::box_rows)
        fetch_box(tile_memory + (point * Shape::set_rows + row) * Shape::pitch, &pass.in.owner[map], column, row,
                  static_cast<int>(at.outer / 2), barrier);
    }
  } else {
    for (int owner = 0; owner < pass.in.owners; ++owner) {
      const int rows = pass.in.rows[owner], first = pass.in.begin[owner];
      const int points = pass.in.begin[owner + 1] - first;
      for (int row = 0; row < points; row += rows)
        fetch_box(tile_memory + (first + row) * Width, &pass.in.owner[owner], at.column, row,
                  static_cast<int>(at.outer), barrier);
    }
  }
}

/// Blocks of a cluster work on neighbouring bundles and request the next ones at the same time: memory then sees runs
/// of the whole cluster's width. Without clusters this costs nothing.
__device__ __forceinline__ void keep_step() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned cluster_size() {
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  return size;
}

/// Reads a thread's points from a tile that has arrived.
template <class C, int Width, bool Backward, bool Odd, class T, class In>
__device__ __forceinline__ void take(Cx<T> (&v)[C::E], const double2* tile, const KernelInput& input,
                                     const Corner& from, const ThreadPlace& at, In& in) {
  using Shape = TileShape<C, Width, Odd>;
  if constexpr (Odd) {
    const double* mine[2];  // of the points at even offsets, and at odd ones
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const unsigned k = at.t + odd;
      mine[odd] = reinterpret_cast<const double*>(tile + (k % 2 * Shape::set_rows + k / 2) * Shape::pitch + at.lane) +
                  (column_in(input, from, map_of(from, k)) & 1);
    }
    each_point<C, 0>(at.t, [&](int i, int offset) {
      const double* const number = mine[offset % 2] + offset / 2 * (2 * Shape::pitch);
      v[i] = unpack<Backward>(double2{number[0], number[1]}, static_cast<T*>(nullptr));
      in.add(offset, v[i]);
    });
  } else {
    const double2* const mine = tile + at.t * Width + at.lane;
    each_point<C, 0>(at.t, [&](int i, int offset) {
      v[i] = unpack<Backward>(mine[offset * Width], static_cast<T*>(nullptr));
      in.add(offset, v[i]);
    });
  }
}

template <class C, class T, int Width, bool Backward, bool Odd, Checks How = Checks::none, bool Multiplies = false>
__device__ __forceinline__ void run_pass(const KernelPass& pass) {
  using Shape = TileShape<C, Width, Odd>;
  extern __shared__ __align__(128) double2 shared[];
  __shared__ TileBarrier arrived;
  T* rows = reinterpret_cast<T*>(shared + Shape::tile_bytes / 16);
  auto* table = reinterpret_cast<typename Traits<T>::Factor*>(reinterpret_cast<char*>(rows) + Shape::row_bytes);
  load_table<C>(table, pass.table);
  constexpr int table_end = Shape::tile_bytes + Shape::row_bytes + C::table_size * int(sizeof *table);
  char* const held = reinterpret_cast<char*>(shared) + (table_end + 15) / 16 * 16;
  const LineChecks<T> checks(pass.checks, hold_weights<How, T, C::N>(held, pass.checks), C::N);
  const ThreadPlace at{threadIdx.x / Width, threadIdx.x % Width, Width};

  const auto sync = [] { __syncthreads(); };
  using Sums = typename SumsOf<How, T, Shape::threads>::Type;
  __shared__ typename Sums::Desk desk;
  Sums sums(desk, threadIdx.x);
  unsigned tile = blockIdx.x, parity = 0;
  if (threadIdx.x == 0) {
    arrived.open();
    Sums::open(desk);
    if (tile < pass.tiles) fetch_tile<C, Width, Odd>(shared, pass, tile, arrived);
  }
  __syncthreads();
  for (; tile < pass.tiles; tile += gridDim.x, parity ^= 1) {
    auto in = Sums::input(at.t, checks);
    arrived.wait(parity);
    const Corner to = corner(pass, tile, Width);
    Cx<T> v[C::E];
    const LinesThere there(to, at);
    take<C, Width, Backward, Odd>(v, shared, pass.in, to, at, in);
    sums.took(in, there.first, there.second, true, checks);
    line_fft<C>(v, rows, at, table, sync, [&] {
      keep_step();
      if (threadIdx.x == 0 && tile + gridDim.x < pass.tiles)
        fetch_tile<C, Width, Odd>(shared, pass, tile + gridDim.x, arrived);
    });
    rescale<C>(v, pass.scale, at.t);
    sums.template left<C>(v, at.t, there.first, there.second, true, checks);
    if constexpr (Multiplies) multiply_results<C>(v, pass.factors, to, at, there);
    leave<C, T, Width, Backward, Odd>(v, pass.out, to, at);
    sums.end_tile(sync, checks);
  }
  sums.end(sync, checks);
  // The last tiles may be fewer than the cluster's blocks: blocks without a tile keep step with the others.
  const unsigned first = tile - blockIdx.x, size = cluster_size();
  if (first + blockIdx.x / size * size < pass.tiles) keep_step();
}

template <class C, class T, int Width, int Resident, bool Backward, bool Odd, bool Multiplies = false>
__global__ void __launch_bounds__(TileShape<C, Width>::threads, Resident)
    pass_kernel(const __grid_constant__ KernelPass pass) {
  if constexpr (has_bulk_copies) run_pass<C, T, Width, Backward, Odd, Checks::none, Multiplies>(pass);
}

}  // namespace shardfft::device::lines
