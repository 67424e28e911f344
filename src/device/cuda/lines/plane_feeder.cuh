#pragma once
// Plane passes: the order of tiles, and the feeder, the thread of a group that fetches them into shared memory.
#include "device/cuda/lines/kernel_planes.hpp"
#include "device/cuda/lines/pass_kernel.cuh"
#include "device/cuda/lines/plane_rows.cuh"
#include "device/plane_cut.hpp"

namespace shardfft::device::lines {

__device__ __forceinline__ unsigned low_part(const char* address) {
  return static_cast<unsigned>(reinterpret_cast<unsigned long long>(address));
}

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

/// A cut with room for more points a thread.
template <class C, int Points>
struct Roomy : C {
  static constexpr int E = Points;
};

/// A PlaneCut as a type. A block is made of groups that share nothing but the twiddles: while one transforms, another
/// one loads or stores.
template <class RowCut, class ColumnCut, int Lines, int Width, int Groups>
struct PlaneOf {
  static constexpr PlaneCut cut{RowCut::line, ColumnCut::line, Lines, Width, Groups};
  static constexpr int E = cut.points();
  using Rows = Roomy<RowCut, E>;
  using Columns = Roomy<ColumnCut, E>;
  static constexpr int groups = Groups, lines = Lines, width = Width;
  static constexpr int workers = cut.workers(), row_workers = cut.row_workers(), column_workers = cut.column_workers();
  static constexpr int tile_bytes = cut.tile_bytes(), exchange_bytes = cut.exchange_bytes();
  static constexpr int row_line_rows = cut.row_line_rows(), column_line_rows = cut.column_line_rows();
  static constexpr int threads = cut.threads();
  static constexpr bool alike = cut.alike();
};

/// Shared memory of the feeder and the workers of a group.
struct Desk {
  TileBarrier arrived;    ///< the tile's points
  TileBarrier taken;      ///< by all workers; each arrives itself: racecheck does not see one that arrives for others
  TileBarrier stored[2];  ///< the results; by turns, since workers may be two tiles ahead when the feeder looks
  Tile tile[2];
};

__device__ __forceinline__ bool has_reached(const unsigned* counter, unsigned count) {
  unsigned now;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
  return now >= count;
}

template <class Plane, class Rows, bool Backward>
struct Feeder {
  const KernelPlanes& pass;
  double2* tile_memory;
  Desk& desk;

  static constexpr TileKind first = Backward ? TileKind::columns : TileKind::rows;

  __device__ bool ready(const Tile& tile) const {
    if (tile.kind == first || tile.kind == TileKind::none) return true;
    if (!has_reached(pass.done + tile.plane, Backward ? pass.column_tiles : pass.row_tiles)) return false;
    asm volatile("fence.proxy.async.global;" ::: "memory");  // the copy engine will read data of plain stores
    return true;
  }
  __device__ void ask_for_rows(const Tile& tile) const {
    using Of = typename Rows::Of;
    static_assert(Of::in_tile * Rows::bytes <= Plane::tile_bytes);
    const unsigned begin = tile.index * Of::in_tile;
    const unsigned count = Of::whole || begin + Of::in_tile <= Of::count ? Of::in_tile : Of::count - begin;
    const char* const from =
        pass.rows.in + (pass.outer_begin + tile.plane) * pass.rows.in_plane + begin * pass.rows.in_stride;
    const FetchedFrom rows{low_part(from), static_cast<unsigned>(pass.rows.in_stride)};
    using Fetched = typename Rows::Fetched;
    const auto place = [&](unsigned row) { return reinterpret_cast<char*>(tile_memory) + row * Rows::bytes; };
    // The index, in the tile, of the last row of all planes, if the tile has it: memory may end with that row.
    const unsigned last = tile.plane + 1 == pass.planes ? Of::count - 1 - begin : ~0U;
    unsigned bytes = count * Rows::bytes;
    if constexpr (Fetched::odd) {
      bytes = 0;
#pragma unroll 1
      for (unsigned row = 0; row < count; ++row) bytes += Fetched::fetched(rows.row(row), row == last);
      if (last < count) {
        const unsigned before = Fetched::before(rows.row(last));
        const char* const row = from + last * pass.rows.in_stride - before;
#pragma unroll 1
        for (unsigned at = Fetched::fetched(rows.row(last), true); at < before + Fetched::row_bytes; at += 4)
          *reinterpret_cast<int*>(place(last) + at) = *reinterpret_cast<const int*>(row + at);
      }
    }
    desk.arrived.expect(bytes);
#pragma unroll 1
    for (unsigned row = 0; row < count; ++row)
      fetch_bytes(place(row), from + row * pass.rows.in_stride - Fetched::before(rows.row(row)),
                  Fetched::fetched(rows.row(row), row == last), desk.arrived, !Backward);
  }
  __device__ void ask_for_columns(const Tile& tile) const {
    constexpr int width = Plane::width;
    desk.arrived.expect(pass.columns_in.bytes);
    const int rows = pass.columns_in.rows[0];
#pragma unroll 1
    for (int row = 0; row < Plane::Columns::N; row += rows)
      fetch_box(tile_memory + row * width, &pass.columns_in.owner[0],
                2 * static_cast<int>(pass.m_begin + tile.index * width), row,
                static_cast<int>(pass.outer_begin + tile.plane), desk.arrived, Backward);
  }
  __device__ void ask(const Tile& tile, unsigned step) const {
    desk.tile[step & 1] = tile;
    if (tile.kind == TileKind::none)
      desk.arrived.arrive();
    else if (tile.kind == TileKind::rows)
      ask_for_rows(tile);
    else
      ask_for_columns(tile);
  }
  __device__ void run() const {
    Tile now{TileKind::none, 0, 0};
    for (unsigned step = 0;; ++step) {
      const Tile next = tile_of<Backward>(pass, atomicAdd(pass.ticket, 1));
      const unsigned before = step - 1;
      if (step > 0) desk.taken.wait(before & 1);
      bool asked = false, stored = step == 0;
      while (!asked || !stored) {
        if (!asked && ready(next)) {
          ask(next, step);
          asked = true;
        }
        if (stored || !desk.stored[before & 1].passed(before >> 1 & 1)) continue;
        stored = true;
        if (now.kind != first) continue;
        __threadfence();
        atomicAdd(pass.done + now.plane, 1);
      }
      if (next.kind == TileKind::none) return;
      now = next;
    }
  }
};

}  // namespace shardfft::device::lines
