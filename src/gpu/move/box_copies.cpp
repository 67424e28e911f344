#include "gpu/move/box_copies.hpp"

#include <algorithm>
#include <utility>

#include "pack/loop_nest.hpp"

namespace shardfft::gpu {

namespace {

/// The largest pitch that copy engines accept.
constexpr std::int64_t largest_pitch = 2147483647;

/// Loops with strides in bytes: the row, and the other loops of the nest.
struct Rows {
  std::int64_t bytes = 0;
  std::vector<Loop> loops;
};

std::optional<Rows> rows_of(const LoopNest& nest, std::int64_t element) {
  Rows rows{element, {}};
  bool found = nest.depth == 0;
  for (int i = 0; i < nest.depth; ++i) {
    const Loop& loop = nest.loop[static_cast<std::size_t>(i)];
    if (loop.from == 1 && loop.to == 1) {
      rows.bytes = loop.count * element;
      found = true;
    } else {
      rows.loops.push_back({loop.count, loop.from * element, loop.to * element});
    }
  }
  if (!found) return std::nullopt;
  return rows;
}

/// Joins rows into one if nothing but a gap lies between them.
void join_rows(Rows& rows, std::int64_t gap) {
  const std::int64_t pitch = rows.bytes + gap;
  const auto next = std::find_if(rows.loops.begin(), rows.loops.end(),
                                 [pitch](const Loop& loop) { return loop.from == pitch && loop.to == pitch; });
  if (next == rows.loops.end()) return;
  rows.bytes += (next->count - 1) * pitch;
  rows.loops.erase(next);
}

bool pitched(const Loop& loop, std::int64_t row_bytes) {
  return std::min(loop.from, loop.to) >= row_bytes && std::max(loop.from, loop.to) <= largest_pitch;
}

/// Slices must be whole numbers of pitches apart and must not overlap.
bool sliced(const Loop& slices, const Loop& rows) {
  const auto fits = [&rows](std::int64_t slice, std::int64_t pitch) {
    return slice % pitch == 0 && slice / pitch >= rows.count;
  };
  return fits(slices.from, rows.from) && fits(slices.to, rows.to);
}

/// The loops that one call runs, as indices (-1: none): those that make the call longest.
struct LoopChoice {
  int rows = -1, slices = -1;
  std::int64_t count = 1;
};
LoopChoice choose(const Rows& rows) {
  LoopChoice best;
  const int loops = static_cast<int>(rows.loops.size());
  for (int r = 0; r < loops; ++r) {
    const Loop& row = rows.loops[static_cast<std::size_t>(r)];
    if (!pitched(row, rows.bytes)) continue;
    if (row.count > best.count) best = {r, -1, row.count};
    for (int s = 0; s < loops; ++s) {
      const Loop& slice = rows.loops[static_cast<std::size_t>(s)];
      if (s != r && sliced(slice, row) && row.count * slice.count > best.count) best = {r, s, row.count * slice.count};
    }
  }
  return best;
}

}  // namespace

std::optional<EngineCopies> engine_copies(const LocalCopy& boxes, std::size_t element_bytes, std::int64_t most_calls,
                                          std::int64_t gap) {
  const auto element = static_cast<std::int64_t>(element_bytes);
  const LoopNest nest = common_refinement(boxes.from, boxes.to);
  if (nest.empty) return EngineCopies{};
  std::optional<Rows> rows = rows_of(nest, element);
  if (!rows) return std::nullopt;
  if (gap > 0) join_rows(*rows, gap);
  const LoopChoice choice = choose(*rows);
  EngineCopies copies;
  const auto bytes = static_cast<std::size_t>(rows->bytes);
  copies.shape = {{nullptr, bytes, bytes}, {nullptr, bytes, bytes}, bytes, 1, 1};
  std::vector<Loop> left;  // loops outside of the calls
  std::int64_t calls = 1;
  for (int i = 0; i < static_cast<int>(rows->loops.size()); ++i) {
    const Loop& loop = rows->loops[static_cast<std::size_t>(i)];
    const auto from = static_cast<std::size_t>(loop.from), to = static_cast<std::size_t>(loop.to);
    if (i == choice.rows) {
      copies.shape.rows = static_cast<std::size_t>(loop.count);
      copies.shape.from.pitch = from;
      copies.shape.to.pitch = to;
    } else if (i == choice.slices) {
      copies.shape.slices = static_cast<std::size_t>(loop.count);
      copies.shape.from.slice = from;
      copies.shape.to.slice = to;
    } else {
      left.push_back(loop);
      calls *= loop.count;
    }
  }
  if (calls > most_calls) return std::nullopt;
  if (copies.shape.slices == 1) {
    copies.shape.from.slice = copies.shape.from.pitch * copies.shape.rows;
    copies.shape.to.slice = copies.shape.to.pitch * copies.shape.rows;
  }
  copies.offsets = {{nest.from_offset * element, nest.to_offset * element}};
  for (const Loop& loop : left) {
    std::vector<EngineCopies::Offsets> all;
    for (const EngineCopies::Offsets& at : copies.offsets)
      for (std::int64_t i = 0; i < loop.count; ++i) all.push_back({at.from + i * loop.from, at.to + i * loop.to});
    copies.offsets = std::move(all);
  }
  return copies;
}

}  // namespace shardfft::gpu
