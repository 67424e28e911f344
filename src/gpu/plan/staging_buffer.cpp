#include "gpu/plan/staging_buffer.hpp"

#include <algorithm>
#include <limits>

#include "geometry/schedule.hpp"
#include "gpu/plan/staging_bytes.hpp"

namespace shardfft::gpu {

namespace {

/// Packs the part of `from` that `rank` sends to others: only the others' runs of each line, interleaved, so that point
/// i of all runs comes before point i + 1 of any run. One piece by receiving rank, empty if that rank gets nothing.
/// Returns no pieces if a slower axis does not step over whole lines.
std::vector<Piece> packed_pieces(const Layout& from, const Layout& to, std::size_t line, int rank) {
  const Piece here = only_piece(from, rank);
  const std::vector<Progression>& parts = to.parts(static_cast<int>(line));
  const auto others = static_cast<std::int64_t>(parts.size()) - 1;
  const std::int64_t stride = here.stride[line], whole = stride * here.set.axis[line].count;
  Piece packed = here;
  packed.stride[line] = stride * others;
  for (std::size_t a = 0; a < static_cast<std::size_t>(here.set.axes); ++a) {
    if (here.set.axis[a].count < 2 || here.stride[a] <= stride) continue;
    if (here.stride[a] % whole != 0) return {};
    packed.stride[a] = here.stride[a] / whole * stride * others * parts.front().count;
  }
  const auto run_of = [&](const Piece& piece) {
    return std::find(parts.begin(), parts.end(), piece.set.axis[line]) - parts.begin();
  };
  const std::int64_t own = run_of(only_piece(to, rank));
  std::vector<Piece> pieces(static_cast<std::size_t>(to.ranks()));
  for (int q = 0; q < to.ranks(); ++q) {
    Piece& piece = pieces[static_cast<std::size_t>(q)];
    piece.set.axes = from.axes();
    const Piece there = only_piece(to, q);
    if (q == rank || there.set.empty() || intersect(here.set, there.set).empty()) continue;
    const std::int64_t run = run_of(there);
    piece = packed;
    piece.set.axis[line] = there.set.axis[line];
    piece.offset = here.offset + (run - (run > own ? 1 : 0)) * stride;
  }
  return pieces;
}

/// Plans to pack; none if the pass cannot pack, or if the outgoing runs have no such order.
std::optional<Layout> pack(StagingBuffer& staging, const Joined& steps, const Pieces& pieces, int rank) {
  const LocalTransform& local = *steps.before;
  const Layout &from = steps.from.layout, &to = steps.to.layout;
  const Piece here = only_piece(from, rank);
  if (local.step.axes.size() != 1 || !to.is_grid() || here.set.empty()) return std::nullopt;
  const auto line = static_cast<std::size_t>(local.step.axes.front().axis);
  const auto whole = line_owners(local.step, here, to, LineOwners::Side::output);
  if (!whole || !whole->has_all()) return std::nullopt;
  const std::vector<Piece> packed = packed_pieces(from, to, line, rank);
  if (packed.empty()) return std::nullopt;
  for (const Slice& slice : pieces.before) {
    const auto owners = line_owners(local.step, sliced(here, slice), to, LineOwners::Side::output, [&](int q) {
      return q == rank ? only_piece(to, rank) : packed[static_cast<std::size_t>(q)];
    });
    if (!owners || !owners->has_all()) return std::nullopt;
    staging.owners.push_back(*owners);
  }
  return Layout::from_pieces(from.shape(), from.ranks(), [from, to, line](int r) {
    std::vector<Piece> mine = packed_pieces(from, to, line, r);
    std::erase_if(mine, [](const Piece& piece) { return piece.set.empty(); });
    return mine;
  });
}

/// Numbers between two neighbouring points of a line, if its axis is the slowest one in memory; otherwise 0. If there
/// are no lines, any number would do: 1.
std::int64_t step_of_slowest(const LocalTransform& local, const Piece& here) {
  const std::int64_t stride = here.stride[static_cast<std::size_t>(local.step.axes.front().axis)];
  for (std::size_t a = 0; a < static_cast<std::size_t>(here.set.axes); ++a)
    if (here.set.axis[a].count > 1 && here.stride[a] > stride) return 0;
  return here.set.empty() ? 1 : stride;
}

/// Puts the first `count` pieces, and the messages made of them, into the output; offsets come later. Returns the
/// offset at which the overflow begins, or none if a message needs pieces of both kinds or the output has too little
/// room.
std::optional<std::int64_t> divide(StagingBuffer& staging, const Sources& sources, std::size_t count,
                                   std::int64_t room) {
  std::int64_t end = 0, all = 0, overflow_begin = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k < sources.pieces.size(); ++k) {
    staging.pieces[k].in_output = k < count;
    all = std::max(all, end_of(sources.pieces[k]));
    if (k < count)
      end = std::max(end, end_of(sources.pieces[k]));
    else
      overflow_begin = std::min(overflow_begin, begin_of(sources.pieces[k]));
  }
  if (count == sources.pieces.size()) overflow_begin = all;
  if (end > overflow_begin || (staging.packs() ? overflow_begin : in_units(end)) > room) return std::nullopt;
  staging.overflow_bytes = all - overflow_begin;
  for (std::size_t m = 0; m < sources.messages.size(); ++m) {
    staging.messages[m].in_output = end_of(sources.messages[m]) <= end;
    if (!staging.messages[m].in_output && begin_of(sources.messages[m]) < overflow_begin) return std::nullopt;
  }
  return overflow_begin;
}

}  // namespace

std::optional<StagingBuffer> staging_buffer_of(const Joined& steps, const Pieces& pieces, int rank, Precision precision,
                                               bool packed, bool input_is_there,
                                               std::optional<std::int64_t> free_room) {
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, precision));
  auto room = free_room ? *free_room : static_cast<std::int64_t>(state_bytes(steps.after->after, precision, rank));
  if (input_is_there) room = std::max(room, static_cast<std::int64_t>(state_bytes(steps.from, precision, rank)));
  const LocalTransform& local = *steps.before;
  const std::int64_t step =
      packed && input_is_there ? step_of_slowest(local, only_piece(steps.from.layout, rank)) * element : 0;
  if (input_is_there &&
      (pieces.last_piece_of(pieces.last_message_of(0)) + 1 < pieces.befores() || (packed && step == 0)))
    return std::nullopt;
  const std::int64_t alignment = input_is_there ? std::max<std::int64_t>(step, 1) : 256;
  StagingBuffer staging;
  const std::optional<Layout> own = packed ? pack(staging, steps, pieces, rank) : std::nullopt;
  if (packed && !own) return std::nullopt;
  staging.pieces.resize(pieces.before.size(), {true, 0, own});
  staging.messages.resize(pieces.messages.size(), {true, 0, own});
  staging.waits.resize(pieces.before.size(), -1);
  const Sources sources = sources_of(own.value_or(steps.from.layout), steps, pieces, rank, element);
  const std::size_t least = input_is_there ? std::max<std::size_t>(sources.pieces.size(), 1) : 1;
  for (std::size_t count = sources.pieces.size(); count >= least; --count) {
    const std::optional<std::int64_t> overflow_begin = divide(staging, sources, count, room);
    if (!overflow_begin) continue;
    // Packed data ends at the end of the array, so that the data sent last lies as far back as possible.
    const std::int64_t begin = packed ? (room - *overflow_begin) / alignment * alignment : 0;
    for (std::vector<StagingBuffer::Place>* places : {&staging.pieces, &staging.messages})
      for (StagingBuffer::Place& place : *places) place.begin = place.in_output ? begin : -*overflow_begin;
    if (free_room || is_sent_in_time(staging, sources, steps, pieces, rank, precision)) return staging;
  }
  return std::nullopt;
}

}  // namespace shardfft::gpu
