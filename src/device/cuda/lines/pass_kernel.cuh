#pragma once
// The kernel of a pass. A persistent thread block walks over bundles of `Width` neighbouring lines; while one bundle
// is transformed in registers, the next one is on its way into shared memory. Neighbouring threads hold neighbouring
// lines, so results are stored from registers in runs of 16 * Width bytes, without staging.
#include "device/cuda/lines/line_fft.cuh"
#include "device/cuda/lines/tile_fetch.cuh"
#include "device/line_pass.hpp"

namespace shardfft::device::lines {

inline constexpr int max_points = 32, max_maps = max_owners;

/// Where a pass reads: one tensor map (column in units of 8 bytes, point, outer) an owner; a box holds `rows` points of
/// the bundle. Rows of an odd number of 8-byte units are no rows of a map, but pairs of them are: the second one begins
/// at column `second`, and the map's outer index is outer >> 1.
struct KernelInput {
  CUtensorMap owner[max_maps];
  int rows, boxes_per_owner;
  int second, outer_shift;
};

/// Where a pass writes, in units of 16 bytes, but for outer strides and columns: these are in units of 8. A thread's
/// i-th point goes to point[i] + (a place its points share): the owner of the point is folded into the pointer. Owners
/// come in two kinds, near and far (bit i of `far`), with strides of their own: the GPU itself and its peers, which may
/// have other shapes.
struct KernelOutput {
  double2* point[max_points];
  long long line_stride[2], outer_stride[2];
  unsigned far;
  unsigned columns;  ///< none are written from here on
};

struct KernelPass {
  KernelInput in;
  KernelOutput out;
  const void* table;
  unsigned tiles, tiles_in_row;
  unsigned outer_begin, m_begin;
  unsigned skew, skew_mask;  ///< tiles begin outer * skew & skew_mask earlier, in units of 8 bytes
  double scale;
};

/// First line of a tile: column in units of 8 bytes, and outer index.
struct Corner {
  int column;
  unsigned outer;
};
__device__ __forceinline__ Corner corner(const KernelPass& pass, unsigned tile, unsigned width) {
  const unsigned outer = pass.outer_begin + tile / pass.tiles_in_row;
  const unsigned column = 2 * (pass.m_begin + tile % pass.tiles_in_row * width) - (outer * pass.skew & pass.skew_mask);
  return {static_cast<int>(column), outer};
}

/// Column of a tile's map where its bundle begins.
__device__ __forceinline__ int column_in(const KernelInput& in, const Corner& at) {
  return at.column + (at.outer % 2 != 0 ? in.second : 0);
}

/// With `Odd` a tile's rows have one more unit of 16 bytes than their bundle, which may begin in the middle of one:
/// copies can only begin at whole units.
template <class Cut, int Width, bool Odd = false>
struct TileShape {
  static constexpr int threads = Cut::team * Width, pitch = Width + (Odd ? 1 : 0);
  static constexpr int tile_bytes = Cut::N * pitch * 16;
  static constexpr int row_bytes = Cut::padded_rows * Width * 8;
  /// The tile in flight, the rows of the exchanges, the twiddles.
  static constexpr int bytes(int factor_bytes) { return tile_bytes + row_bytes + Cut::table_size * factor_bytes; }
};

/// By one thread: asks for all points of a tile.
template <class Cut, int Width, bool Odd>
__device__ __forceinline__ void fetch_tile(double2* tile_memory, const KernelPass& pass, unsigned tile,
                                           TileBarrier& barrier) {
  const Corner at = corner(pass, tile, Width);
  using Shape = TileShape<Cut, Width, Odd>;
  barrier.expect(Shape::tile_bytes);
  const int boxes = Cut::N / pass.in.rows;
  for (int box = 0; box < boxes; ++box) {
    const int owner = box / pass.in.boxes_per_owner, inside = box % pass.in.boxes_per_owner;
    fetch_box(tile_memory + box * pass.in.rows * Shape::pitch, &pass.in.owner[owner], column_in(pass.in, at) & ~1,
              inside * pass.in.rows, static_cast<int>(at.outer >> pass.in.outer_shift), barrier);
  }
}

/// Blocks of a cluster work on neighbouring bundles and ask for the next ones at the same time: memory then sees runs
/// of the whole cluster's width. Without clusters this costs nothing.
__device__ __forceinline__ void keep_step() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/// The twiddles live in shared memory: the rest of the L1 cache is too small to keep them.
template <class Cut, class Factor>
__device__ __forceinline__ void load_table(Factor* to, const void* from) {
  for (unsigned i = threadIdx.x; i < Cut::table_size; i += blockDim.x) to[i] = static_cast<const Factor*>(from)[i];
}

template <class Cut, class T, int Width, int Resident, bool Backward, bool Odd>
__global__ void __launch_bounds__(TileShape<Cut, Width>::threads, Resident)
    pass_kernel(const __grid_constant__ KernelPass pass) {
  using Scalar = typename Traits<T>::Scalar;
  using Shape = TileShape<Cut, Width, Odd>;
  extern __shared__ __align__(128) double2 shared[];
  __shared__ TileBarrier arrived;
  T* rows = reinterpret_cast<T*>(shared + Shape::tile_bytes / 16);
  auto* table = reinterpret_cast<typename Traits<T>::Factor*>(rows + Cut::padded_rows * Width);
  load_table<Cut>(table, pass.table);
  const Place at{threadIdx.x / Width, threadIdx.x % Width, Width};

  unsigned tile = blockIdx.x, parity = 0;
  if (threadIdx.x == 0) {
    arrived.open();
    if (tile < pass.tiles) fetch_tile<Cut, Width, Odd>(shared, pass, tile, arrived);
  }
  __syncthreads();
  for (; tile < pass.tiles; tile += gridDim.x, parity ^= 1) {
    arrived.wait(parity);
    Cx<T> v[Cut::E];
    if constexpr (Odd) {
      const int half = column_in(pass.in, corner(pass, tile, Width)) & 1;
      const double* const mine = reinterpret_cast<const double*>(shared + at.t * Shape::pitch + at.lane) + half;
      each<Cut::E>([&](auto i) {
        const double* const number = mine + i * (2 * Cut::team * Shape::pitch);
        v[i] = unpack<Backward>(double2{number[0], number[1]}, static_cast<T*>(nullptr));
      });
    } else {
      each<Cut::E>(
          [&](auto i) { v[i] = unpack<Backward>(shared[threadIdx.x + i * Shape::threads], static_cast<T*>(nullptr)); });
    }
    line_fft<Cut>(
        v, rows, at, table, [] { __syncthreads(); },
        [&] {
          keep_step();
          if (threadIdx.x == 0 && tile + gridDim.x < pass.tiles)
            fetch_tile<Cut, Width, Odd>(shared, pass, tile + gridDim.x, arrived);
        });
    if (pass.scale != 1) {
      const Scalar s = static_cast<Scalar>(pass.scale);
      each<Cut::E>([&](auto i) { v[i] = Cx<T>{s * v[i].re, s * v[i].im}; });
    }
    const Corner to = corner(pass, tile, Width);
    const int column = to.column + 2 * static_cast<int>(at.lane);
    long long place[2];  // in units of 8 bytes
    each<2>([&](auto kind) {
      place[kind] = to.outer * pass.out.outer_stride[kind] + column + 2 * at.t * pass.out.line_stride[kind];
    });
    const auto here = [&](auto i) { return pass.out.far >> i & 1 ? place[1] : place[0]; };
    const bool first = static_cast<unsigned>(column) < pass.out.columns;
    const bool second = static_cast<unsigned>(column + 1) < pass.out.columns;
    if (first && (Traits<T>::lines == 1 || second))
      each<Cut::E>([&](auto i) { pass.out.point[i][here(i) >> 1] = pack<Backward>(v[i]); });
    else if (Traits<T>::lines == 2)  // an end of a row
      each<Cut::E>([&](auto i) {
        double* const numbers = reinterpret_cast<double*>(pass.out.point[i]) + here(i);
        const double2 both = pack<Backward>(v[i]);
        if (first) numbers[0] = both.x;
        if (second) numbers[1] = both.y;
      });
  }
}

}  // namespace shardfft::device::lines
