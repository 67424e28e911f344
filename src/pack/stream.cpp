// Copies past the cache, for results that nobody reads before they would be evicted anyway. A plain store first reads
// the line that it writes. A store past the cache does not, which saves a third of the traffic of a copy.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/compute.hpp"
#include "pack/kernels.hpp"
#include "pack/loop_nest.hpp"
#include "pack/pack.hpp"
#include "pack/past_cache.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Bytes of a row that are transposed at once: those of all rows of a tile stay in the first-level cache.
constexpr std::int64_t turned_row_bytes = 2048;

/// Copies rows that are contiguous along another loop in the source: transposes in the first-level cache, then writes.
template <std::size_t E>
void stream_turned(const std::byte* source, std::byte* destination, const Loop& near_source, const Loop& row) {
  constexpr auto bytes = static_cast<std::int64_t>(E);
  constexpr std::int64_t lines = kernel::line_elements<E>;
  constexpr std::int64_t part = turned_row_bytes / bytes;
  alignas(64) std::byte tile[lines * turned_row_bytes];
  for (std::int64_t i = 0; i < near_source.count; i += lines) {
    const std::int64_t rows = std::min(lines, near_source.count - i);
    for (std::int64_t j = 0; j < row.count; j += part) {
      const std::int64_t count = std::min(part, row.count - j);
      kernel::transpose<E>(source + (i + j * row.from) * bytes, tile, {rows, bytes, turned_row_bytes},
                           {count, row.from * bytes, bytes});
      for (std::int64_t r = 0; r < rows; ++r)
        write_past_cache(tile + r * turned_row_bytes, destination + ((i + r) * near_source.to + j) * bytes,
                         count * bytes);
    }
  }
}

/// A nest whose last loop is contiguous in the destination; that loop or another one is contiguous in the source.
struct Rows {
  std::array<Loop, 2 * max_axes> outer{};
  int outer_depth = 0;
  Loop near_source;  ///< of one element if `row` is contiguous in the source
  Loop row;
};

/// False if no loop is contiguous in the source.
bool take_apart(const LoopNest& nest, Rows& rows) {
  rows.row = nest.loop[static_cast<std::size_t>(nest.depth - 1)];
  bool contiguous = rows.row.from == 1;
  for (int i = 0; i + 1 < nest.depth; ++i) {
    const Loop& loop = nest.loop[static_cast<std::size_t>(i)];
    if (contiguous || loop.from != 1) {
      rows.outer[static_cast<std::size_t>(rows.outer_depth++)] = loop;
    } else {
      rows.near_source = loop;
      contiguous = true;
    }
  }
  return contiguous;
}

template <std::size_t E>
void stream_loops(const std::byte* source, std::byte* destination, const Rows& rows, int level) {
  constexpr auto bytes = static_cast<std::int64_t>(E);
  if (level == rows.outer_depth) {
    if (rows.row.from == 1)
      write_past_cache(source, destination, rows.row.count * bytes);
    else
      stream_turned<E>(source, destination, rows.near_source, rows.row);
    return;
  }
  const Loop& loop = rows.outer[static_cast<std::size_t>(level)];
  for (std::int64_t i = 0; i < loop.count; ++i)
    stream_loops<E>(source + i * loop.from * bytes, destination + i * loop.to * bytes, rows, level + 1);
}

template <std::size_t E>
void stream_nest(const std::byte* source, std::byte* destination, const LoopNest& nest, const Rows& rows) {
  constexpr auto bytes = static_cast<std::int64_t>(E);
  compute(copy_work(nest, E), [&] {
    stream_loops<E>(source + nest.from_offset * bytes, destination + nest.to_offset * bytes, rows, 0);
    end_of_stream();
  });
}

}  // namespace

void stream_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
                std::size_t element_bytes) {
  const LoopNest nest = common_refinement(from, to);
  Rows rows;
  const bool streams =
      !nest.empty && nest.depth > 0 && take_apart(nest, rows) && rows.row.to == 1 &&
      rows.row.count * static_cast<std::int64_t>(element_bytes) >= host_defaults().run_bytes_to_write_past_cache;
  if (streams && element_bytes == 4) return stream_nest<4>(source, destination, nest, rows);
  if (streams && element_bytes == 8) return stream_nest<8>(source, destination, nest, rows);
  if (streams && element_bytes == 16) return stream_nest<16>(source, destination, nest, rows);
  copy_box(source, from, destination, to, element_bytes, 1);
}

}  // namespace shardfft
