#pragma once
// The kernel of a plane pass. Tiles of rows and tiles of columns have the same FFT; they differ in how threads are
// dealt to lines. Persistent thread blocks take tiles in an order in which a plane's second axis comes
// soon after its first one, and wait until that is whole. One thread of a group, the feeder, takes tiles, waits, asks
// for their points and says what is done; the others only transform.
#include <type_traits>

#include "device/cuda/lines/kernel_planes.hpp"
#include "device/cuda/lines/pass_kernel.cuh"
#include "device/cuda/lines/plane_rows.cuh"

namespace shardfft::device::lines {

enum class TileKind : unsigned { none, rows, columns };
struct Tile {
  TileKind kind;
  unsigned plane, index;  ///< of all planes of the pass; of all tiles of the plane
};

/// The order of tiles: the first axis of some planes, then by turns the first axis of a plane and the second axis of
/// an earlier one. A tile waits for earlier ones only, so blocks that take them in order never wait for each other.
template <bool Backward>
__device__ __forceinline__ Tile tile_of(const KernelPlanes& pass, unsigned ticket) {
  constexpr TileKind first = Backward ? TileKind::columns : TileKind::rows;
  constexpr TileKind second = Backward ? TileKind::rows : TileKind::columns;
  const unsigned a = Backward ? pass.column_tiles : pass.row_tiles, b = Backward ? pass.row_tiles : pass.column_tiles;
  if (ticket < pass.ahead * a) return {first, ticket / a, ticket % a};
  ticket -= pass.ahead * a;
  const unsigned turns = pass.planes - pass.ahead;
  if (ticket < turns * (a + b)) {
    const unsigned turn = ticket / (a + b), at = ticket % (a + b);
    return at < a ? Tile{first, turn + pass.ahead, at} : Tile{second, turn, at - a};
  }
  ticket -= turns * (a + b);
  return ticket < pass.ahead * b ? Tile{second, turns + ticket / b, ticket % b} : Tile{TileKind::none, 0, 0};
}

/// A block is made of groups that share nothing but the twiddles: while one transforms, another one loads or stores.
template <class Cut, int Width, int Groups>
struct PlaneShape {
  static constexpr int workers = Cut::team * Width, threads = Groups * (workers + 32);
  static constexpr int column_bytes = Cut::N * Width * 16;
  static constexpr int tile_bytes = column_bytes + 64 * Width;  ///< half spectra are a point longer than half of N
  static_assert(tile_bytes % 128 == 0, "boxes of bulk tensor copies begin at multiples of that");
  /// Rows of the exchanges, line by line. The shift between lines keeps both ways of dealing threads free of bank
  /// conflicts.
  static constexpr int shift = 16 / Width;
  static constexpr int line_rows = Cut::padded_rows + (shift + 16 - Cut::padded_rows % 16) % 16;
  static constexpr int group_bytes = tile_bytes + line_rows * Width * 8;
  static constexpr int bytes(int factor_bytes) { return Groups * group_bytes + Cut::table_size * factor_bytes; }
};

/// What the feeder and the workers of a group share.
struct Desk {
  TileBarrier arrived;    ///< the tile's points
  TileBarrier taken;      ///< by all workers, of which each arrives: racecheck does not see one arrive for others
  TileBarrier stored[2];  ///< the results; by turns, since workers may be two tiles further when the feeder looks
  Tile tile[2];
};

__device__ __forceinline__ bool has_reached(const unsigned* counter, unsigned count) {
  unsigned now;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
  return now >= count;
}

template <class Cut, class T, bool Backward, bool Real>
using RowsOf = std::conditional_t<Real, RealRows<Cut, T, Backward>, ComplexRows<Cut, T, Backward>>;

template <class Cut, int Width, class Rows, bool Backward>
struct Feeder {
  const KernelPlanes& pass;
  double2* tile_memory;
  Desk& desk;

  static constexpr TileKind first = Backward ? TileKind::columns : TileKind::rows;

  __device__ bool ready(const Tile& tile) const {
    if (tile.kind == first || tile.kind == TileKind::none) return true;
    if (!has_reached(pass.done + tile.plane, Backward ? pass.column_tiles : pass.row_tiles)) return false;
    asm volatile("fence.proxy.async.global;" ::: "memory");  // the copy engine reads what plain stores wrote
    return true;
  }
  __device__ void ask(const Tile& tile, unsigned step) const {
    desk.tile[step & 1] = tile;
    if (tile.kind == TileKind::none) {
      desk.arrived.arrive();
      return;
    }
    const unsigned plane = pass.outer_begin + tile.plane;
    if (tile.kind == TileKind::rows) {
      constexpr unsigned count = Width * Rows::in_line;
      static_assert(count * Rows::bytes <= PlaneShape<Cut, Width, 1>::tile_bytes);
      desk.arrived.expect(count * Rows::bytes);
      const std::size_t stride = Rows::stride_in(pass.rows);
      const char* const from = pass.rows.in + (static_cast<std::size_t>(plane) * Cut::N + tile.index * count) * stride;
      for (unsigned row = 0; row < count; ++row)
        fetch_bytes(reinterpret_cast<char*>(tile_memory) + row * Rows::bytes, from + row * stride, Rows::bytes,
                    desk.arrived, !Backward);
    } else {
      desk.arrived.expect(PlaneShape<Cut, Width, 1>::column_bytes);
      const int rows = pass.columns_in.rows[0];
      for (int row = 0; row < Cut::N; row += rows)
        fetch_box(tile_memory + row * Width, &pass.columns_in.owner[0],
                  2 * static_cast<int>(pass.m_begin + tile.index * Width), row, static_cast<int>(plane), desk.arrived,
                  Backward);
    }
  }
  __device__ void run() const {
    Tile now{TileKind::none, 0, 0};
    for (unsigned step = 0;; ++step) {
      const Tile next = tile_of<Backward>(pass, atomicAdd(pass.ticket, 1));
      bool asked = false;
      const auto try_to_ask = [&] {
        if (asked || !ready(next)) return;
        ask(next, step);
        asked = true;
      };
      if (step > 0) {
        const unsigned before = step - 1;
        desk.taken.wait(before & 1);
        try_to_ask();
        while (!desk.stored[before & 1].passed(before >> 1 & 1)) try_to_ask();
        if (now.kind == first) {
          __threadfence();
          atomicAdd(pass.done + now.plane, 1);
        }
      }
      while (!asked) try_to_ask();
      if (next.kind == TileKind::none) return;
      now = next;
    }
  }
};

template <class Cut, class T, bool Backward>
__device__ __forceinline__ void store_columns(const Cx<T> (&v)[Cut::E], const KernelOutput& out, unsigned plane,
                                              unsigned t, unsigned column) {
  long long place[2];
  each<2>([&](auto kind) { place[kind] = (plane * out.outer_stride[kind] >> 1) + t * out.line_stride[kind] + column; });
  each<Cut::E>([&](auto i) {
    store(static_cast<double2*>(out.point[i]) + (out.far >> i & 1 ? place[1] : place[0]), pack<Backward>(v[i]),
          Backward);
  });
}

/// One thread of a warp reads, the one that also arrives at `stored`.
__device__ __forceinline__ Tile tile_on(const Desk& desk, unsigned step) {
  Tile tile{};
  if (threadIdx.x % 32 == 0) tile = desk.tile[step & 1];
  return {static_cast<TileKind>(__shfl_sync(~0u, static_cast<unsigned>(tile.kind), 0)), __shfl_sync(~0u, tile.plane, 0),
          __shfl_sync(~0u, tile.index, 0)};
}

/// What a worker does; `sync` is a barrier of the workers of its group, `id` its number among them.
template <class Cut, class T, int Width, bool Backward, bool Real, class Table, class Sync>
__device__ __forceinline__ void work(const KernelPlanes& pass, Desk& desk, const double2* tile_memory, T* rows,
                                     const Table* table, unsigned id, Sync sync) {
  using Shape = PlaneShape<Cut, Width, 1>;
  using Scalar = typename Traits<T>::Scalar;
  using Rows = RowsOf<Cut, T, Backward, Real>;
  for (unsigned step = 0;; ++step) {
    desk.arrived.wait(step & 1);
    const Tile tile = tile_on(desk, step);
    if (tile.kind == TileKind::none) return;
    const bool is_rows = tile.kind == TileKind::rows;
    const unsigned t = is_rows ? id % Cut::team : id / Width, lane = is_rows ? id / Cut::team : id % Width;
    const unsigned plane = pass.outer_begin + tile.plane;
    Cx<T> v[Cut::E];
    if (is_rows)
      Rows::take(v, tile_memory, t, lane);
    else
      each<Cut::E>(
          [&](auto i) { v[i] = unpack<Backward>(tile_memory[id + i * Shape::workers], static_cast<T*>(nullptr)); });
    T* const exchange = rows + lane * Shape::line_rows;
    line_fft<Cut>(v, exchange, Place{t, 0, 1}, table, sync, [&] { desk.taken.arrive(); });
    if (is_rows) {
      constexpr unsigned in_plane = Cut::N / Rows::in_line;
      Rows::leave(v, pass.rows, static_cast<std::size_t>(plane) * in_plane + tile.index * Width + lane, t, exchange,
                  sync);
    } else {
      if (pass.scale != 1) {
        const Scalar s = static_cast<Scalar>(pass.scale);
        each<Cut::E>([&](auto i) { v[i] = Cx<T>{s * v[i].re, s * v[i].im}; });
      }
      const unsigned column = pass.m_begin + tile.index * Width + lane;
      if (!Real || 2 * column < pass.columns) store_columns<Cut, T, Backward>(v, pass.columns_out, plane, t, column);
    }
    __syncwarp();
    if (id % 32 == 0) desk.stored[step & 1].arrive();
  }
}

template <class Cut, class T, int Width, int Groups, bool Backward, bool Real>
__device__ __forceinline__ void run_planes(const KernelPlanes& pass) {
  using Shape = PlaneShape<Cut, Width, Groups>;
  extern __shared__ __align__(128) double2 shared[];
  __shared__ Desk desks[Groups];
  auto* table = reinterpret_cast<typename Traits<T>::Factor*>(shared + Groups * Shape::group_bytes / 16);
  load_table<Cut>(table, pass.table);
  if (threadIdx.x < Groups) {
    desks[threadIdx.x].arrived.open();
    desks[threadIdx.x].taken.open(Shape::workers);
    for (TileBarrier& stored : desks[threadIdx.x].stored) stored.open(Shape::workers / 32);
  }
  __syncthreads();
  const bool feeds = threadIdx.x >= Groups * Shape::workers;
  const unsigned group = feeds ? threadIdx.x / 32 - Groups * Shape::workers / 32 : threadIdx.x / Shape::workers;
  double2* const tile_memory = shared + group * (Shape::tile_bytes / 16);
  if (feeds) {
    if (threadIdx.x % 32 == 0)
      Feeder<Cut, Width, RowsOf<Cut, T, Backward, Real>, Backward>{pass, tile_memory, desks[group]}.run();
    return;
  }
  T* const rows = reinterpret_cast<T*>(shared + Groups * (Shape::tile_bytes / 16)) + group * (Shape::line_rows * Width);
  const auto sync = [group] { asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(Shape::workers) : "memory"); };
  work<Cut, T, Width, Backward, Real>(pass, desks[group], tile_memory, rows, table, threadIdx.x % Shape::workers, sync);
}

template <class Cut, class T, int Width, int Groups, bool Backward, bool Real>
__global__ void __launch_bounds__(PlaneShape<Cut, Width, Groups>::threads, 1)
    plane_kernel(const __grid_constant__ KernelPlanes pass) {
  if constexpr (has_bulk_copies) run_planes<Cut, T, Width, Groups, Backward, Real>(pass);
}

}  // namespace shardfft::device::lines
