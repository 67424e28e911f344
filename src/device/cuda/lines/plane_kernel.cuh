#pragma once
// The kernel of a plane pass. Tiles of rows and tiles of columns have the same FFT; they differ in how threads are
// dealt to lines. Persistent thread blocks take tiles in an order in which a plane's second axis follows soon after its
// first one, and wait until the first one is complete. One thread of a group, the feeder, takes tiles, waits, requests
// their points and reports finished ones; the others only transform.
#include "device/cuda/lines/plane_feeder.cuh"

namespace shardfft::device::lines {

/// Data that nobody reads again need not be written from the L2 cache to memory. Thread `t` of `team` discards its
/// share of the whole lines of the cache from `begin` on.
__device__ __forceinline__ void forget(const char* begin, unsigned bytes, unsigned t, unsigned team) {
  constexpr unsigned line_bytes = 128;
  const unsigned first = -low_part(begin) % line_bytes;
#pragma unroll 1
  for (unsigned at = first + t * line_bytes; at + line_bytes <= bytes; at += team * line_bytes)
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(begin + at) : "memory");
}

/// One thread of a warp reads, the one that also arrives at `stored`.
__device__ __forceinline__ Tile tile_on(const Desk& desk, unsigned step) {
  Tile tile{};
  if (threadIdx.x % 32 == 0) tile = desk.tile[step & 1];
  return {static_cast<TileKind>(of_first_lane(static_cast<unsigned>(tile.kind))), of_first_lane(tile.plane),
          of_first_lane(tile.index)};
}

/// The place of weights in shared memory (PlaneCut::checked_bytes).
template <class Plane, class T>
struct HeldWeights {
  static constexpr int factor_bytes = sizeof(typename Traits<T>::Factor);
  static constexpr int begin = (Plane::cut.bytes(factor_bytes) + 15) / 16 * 16;
  static constexpr int row_bytes = Plane::cut.row_weight_bytes(factor_bytes);
};
template <class T>
struct PlaneChecks {
  LineChecks<T> rows, columns;
};

/// A thread's part of tiles of rows; `exchanges`: shared memory of all lines of a tile.
template <class Plane, class T, bool Backward, bool Real>
struct RowTile {
  using Cut = typename Plane::Rows;
  using Rows = typename RowsOf<Real, Plane, T, Backward>::Type;
  static constexpr int workers = Plane::row_workers, barriers = line_barriers<Cut> + Rows::barriers;
  static constexpr bool is_first = !Backward;
  const KernelPlanes& pass;
  const LineChecks<T>& checks;
  Tile tile;
  unsigned t, lane, first;
  T* exchange;

  __device__ __forceinline__ RowTile(const KernelPlanes& of, const PlaneChecks<T>& all, const Tile& which, unsigned id,
                                     T* exchanges)
      : pass(of),
        checks(all.rows),
        tile(which),
        t(id % Cut::team),
        lane(id / Cut::team),
        first((which.index * Plane::lines + lane) * Rows::in_line),
        exchange(exchanges + lane * Plane::row_line_rows) {}
  template <class Sums>
  __device__ __forceinline__ void take(Cx<T> (&v)[Plane::E], const double2* memory, Sums& sums) const {
    const auto stride = static_cast<unsigned>(pass.rows.in_stride);
    const FetchedFrom from{low_part(pass.rows.in) +
                               (pass.outer_begin + tile.plane) * static_cast<unsigned>(pass.rows.in_plane) +
                               first * stride,
                           stride};
    if constexpr (Real) {
      Rows::take(v, memory, t, lane, first, from, sums, checks);
    } else {
      auto in = Sums::input(t, checks);
      Rows::take(v, memory, t, lane, from, in);
      sums.took(in, Rows::Of::has(first), has_second(), is_first, checks);
    }
    if constexpr (Backward) {
      const char* const rows =
          pass.rows.in + (pass.outer_begin + tile.plane) * pass.rows.in_plane + first * pass.rows.in_stride;
#pragma unroll 1
      for (unsigned r = 0; r < Rows::in_line && Rows::Of::has(first + r); ++r)
        forget(rows + r * pass.rows.in_stride, pass.rows.spent_bytes, t, Cut::team);
    }
  }
  /// Whether the second one of twin rows exists.
  __device__ __forceinline__ bool has_second() const { return Rows::in_line == 1 || Rows::Of::has(first + 1); }
  template <class Sync, class Sums>
  __device__ __forceinline__ void leave(Cx<T> (&v)[Plane::E], Sync sync, Sums& sums) const {
    char* const to =
        pass.rows.out + (pass.outer_begin + tile.plane) * pass.rows.out_plane + first * pass.rows.out_stride;
    if constexpr (Real) {
      Rows::leave(v, pass.rows, to, first, t, exchange, sync, sums, checks);
    } else {
      sums.template left<Cut>(v, t, Rows::Of::has(first), has_second(), !is_first, checks);
      Rows::leave(v, pass.rows, to, first, t, exchange, sync);
    }
  }
};

/// The same for tiles of columns.
template <class Plane, class T, bool Backward>
struct ColumnTile {
  using Cut = typename Plane::Columns;
  static constexpr int width = Plane::width;
  static constexpr int workers = Plane::column_workers, barriers = line_barriers<Cut>;
  static constexpr bool is_first = Backward;
  const KernelPlanes& pass;
  const LineChecks<T>& checks;
  Tile tile;
  unsigned t, lane;
  T* exchange;

  __device__ __forceinline__ ColumnTile(const KernelPlanes& of, const PlaneChecks<T>& all, const Tile& which,
                                        unsigned id, T* exchanges)
      : pass(of),
        checks(all.columns),
        tile(which),
        t(id / width),
        lane(id % width),
        exchange(exchanges + lane * Plane::column_line_rows) {}
  template <class Sums>
  __device__ __forceinline__ void take(Cx<T> (&v)[Plane::E], const double2* memory, Sums& sums) const {
    auto in = Sums::input(t, checks);
    const double2* const mine = memory + t * width + lane;
    each_point<Cut, 0>(t, [&](int i, int offset) {
      v[i] = unpack<Backward>(mine[offset * width], static_cast<T*>(nullptr));
      in.add(offset, v[i]);
    });
    sums.took(in, is_there(), has_second(), is_first, checks);
    if (Backward || tile.index >= pass.spent_tiles) return;
    const char* const left = pass.rows.out + (pass.outer_begin + tile.plane) * pass.rows.out_plane +
                             (pass.m_begin + tile.index * width) * sizeof(double2);
#pragma unroll 1
    for (unsigned row = pass.spent_begin + t * width + lane; row < pass.spent_end; row += workers)
      forget(left + row * pass.rows.out_stride, width * sizeof(double2), 0, 1);
  }
  __device__ __forceinline__ unsigned column() const { return pass.m_begin + tile.index * width + lane; }
  __device__ __forceinline__ bool is_there() const { return 2 * column() < pass.columns; }
  /// Whether the second one of twin columns exists: the padding of a row's last unit is none.
  __device__ __forceinline__ bool has_second() const { return 2 * column() + 1 < pass.columns; }
  template <class Sync, class Sums>
  __device__ __forceinline__ void leave(Cx<T> (&v)[Plane::E], Sync /*sync*/, Sums& sums) const {
    rescale<Cut>(v, pass.scale, t);
    sums.template left<Cut>(v, t, is_there(), has_second(), !is_first, checks);
    if (!is_there()) return;
    constexpr int last = Cut::stages - 1;
    const KernelOutput& out = pass.columns_out;
    const Corner plane{0, 0, pass.outer_begin + tile.plane};
    const auto put = [&](int i, double* number) {
      store(reinterpret_cast<double2*>(number), pack<Backward>(v[i]), Backward);
    };
    if (!Backward && out.mixed)  // backward, columns have one owner
      each_place<Cut, last>(out, plane, static_cast<int>(2 * column()), t, put);
    else
      each_shared_place<Cut, last>(out, plane, static_cast<int>(2 * column()), t, put);
  }
};

/// Brings a tile from shared memory to its destination. Warps without lines of it pass the same barriers.
template <class Plane, class T, class Part, class Sums, class Table, class Sync, class Taken>
__device__ __forceinline__ void whole_tile(const Part& part, const double2* memory, Sums& sums, const Table* table,
                                           unsigned id, Sync sync, Taken taken) {
  if (Part::workers < Plane::workers && id >= Part::workers) {
    taken();
    for (int barrier = 0; barrier < Part::barriers; ++barrier) sync();
    return;
  }
  Cx<T> v[Plane::E];
  part.take(v, memory, sums);
  line_fft<typename Part::Cut>(v, part.exchange, ThreadPlace{part.t, 0, 1}, table, sync, taken);
  part.leave(v, sync, sums);
}

/// The loop of a worker; `sync` is a barrier of the workers of its group, `id` its number among them.
template <class Plane, class T, bool Backward, bool Real, class Sums, class Table, class Sync>
__device__ __forceinline__ void work(const KernelPlanes& pass, const PlaneChecks<T>& checks, Desk& desk,
                                     typename Sums::Desk& sum_desk, const double2* memory, T* exchanges,
                                     const Table* table, unsigned id, Sync sync) {
  using Rows = RowTile<Plane, T, Backward, Real>;
  using Columns = ColumnTile<Plane, T, Backward>;
  const auto taken = [&] { desk.taken.arrive(); };
  Sums sums(sum_desk, id);
  for (unsigned step = 0;; ++step) {
    desk.arrived.wait(step & 1);
    const Tile tile = tile_on(desk, step);
    if (tile.kind == TileKind::none) break;
    const bool is_rows = tile.kind == TileKind::rows;
    if constexpr (Plane::alike) {
      const Rows as_row(pass, checks, tile, id, exchanges);
      const Columns as_column(pass, checks, tile, id, exchanges);
      Cx<T> v[Plane::E];
      if (is_rows)
        as_row.take(v, memory, sums);
      else
        as_column.take(v, memory, sums);
      line_fft<typename Plane::Rows>(v, is_rows ? as_row.exchange : as_column.exchange,
                                     ThreadPlace{is_rows ? as_row.t : as_column.t, 0, 1}, table, sync, taken);
      if (is_rows)
        as_row.leave(v, sync, sums);
      else
        as_column.leave(v, sync, sums);
    } else if (is_rows) {
      whole_tile<Plane, T>(Rows(pass, checks, tile, id, exchanges), memory, sums, table, id, sync, taken);
    } else {
      whole_tile<Plane, T>(Columns(pass, checks, tile, id, exchanges), memory, sums, table + Plane::Rows::table_size,
                           id, sync, taken);
    }
    __syncwarp();
    if (id % 32 == 0) desk.stored[step & 1].arrive();
    sums.end_tile(sync, checks.columns);
  }
  sums.end(sync, checks.columns);
}

template <class Plane, class T, bool Backward, bool Real, Checks How = Checks::none>
__device__ __forceinline__ void run_planes(const KernelPlanes& pass) {
  using Rows = typename RowsOf<Real, Plane, T, Backward>::Type;
  constexpr int groups = Plane::groups, workers = Plane::workers, tile_bytes = Plane::tile_bytes;
  extern __shared__ __align__(128) double2 shared[];
  __shared__ Desk desks[groups];
  using Sums = typename SumsOf<How, T, workers>::Type;
  __shared__ typename Sums::Desk sum_desks[groups];
  auto* table =
      reinterpret_cast<typename Traits<T>::Factor*>(shared + groups * ((tile_bytes + Plane::exchange_bytes) / 16));
  load_table<typename Plane::Rows>(table, pass.row_table);
  if constexpr (!Plane::alike) load_table<typename Plane::Columns>(table + Plane::Rows::table_size, pass.column_table);
  using Held = HeldWeights<Plane, T>;
  constexpr int n = Plane::Rows::N, m = Plane::Columns::N;
  char* const held = reinterpret_cast<char*>(shared) + Held::begin;
  const void* const row_weights = hold_weights<How, T, n>(held, pass.row_checks);
  // If columns are as long as rows, they share the rows' weights.
  const void* const column_weights = n == m && How == Checks::weights_held
                                         ? row_weights
                                         : hold_weights<How, T, m>(held + Held::row_bytes, pass.column_checks);
  const PlaneChecks<T> checks{{pass.row_checks, row_weights, n}, {pass.column_checks, column_weights, m}};
  if (threadIdx.x < groups) {
    Sums::open(sum_desks[threadIdx.x]);
    desks[threadIdx.x].arrived.open();
    desks[threadIdx.x].taken.open(workers);
    for (TileBarrier& stored : desks[threadIdx.x].stored) stored.open(workers / 32);
  }
  __syncthreads();
  const bool feeds = threadIdx.x >= groups * workers;
  const unsigned group = feeds ? threadIdx.x / 32 - groups * workers / 32 : threadIdx.x / workers;
  double2* const memory = shared + group * (tile_bytes / 16);
  if (feeds) {
    if (threadIdx.x % 32 == 0) Feeder<Plane, Rows, Backward>{pass, memory, desks[group]}.run();
    return;
  }
  T* const exchanges =
      reinterpret_cast<T*>(reinterpret_cast<char*>(shared) + groups * tile_bytes + group * Plane::exchange_bytes);
  const auto sync = [group] { asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(workers) : "memory"); };
  work<Plane, T, Backward, Real, Sums>(pass, checks, desks[group], sum_desks[group], memory, exchanges, table,
                                       threadIdx.x % workers, sync);
}

template <class Plane, class T, bool Backward, bool Real>
__global__ void __launch_bounds__(Plane::threads, 1) plane_kernel(const __grid_constant__ KernelPlanes pass) {
  if constexpr (has_bulk_copies) run_planes<Plane, T, Backward, Real>(pass);
}

}  // namespace shardfft::device::lines
