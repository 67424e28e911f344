#include "gpu/run/outbox.hpp"

#include <algorithm>
#include <limits>

#include "geometry/schedule.hpp"

namespace shardfft::gpu {

namespace {

/// Bytes of an array: those of a box of elements.
struct Bytes {
  struct Steps {
    std::int64_t count, stride;
  };
  std::int64_t offset = 0;
  std::vector<Steps> steps{};

  Bytes(const Box& box, std::int64_t element, std::int64_t before) : offset(before + box.offset * element) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a)
      steps.push_back({box.count[a], box.stride[a] * element});
    steps.push_back({element, 1});
  }
  /// To one past the last byte, but for steps by multiples of a period; 0: there is none.
  std::int64_t reach(std::int64_t period) const {
    std::int64_t sum = 1;
    for (const Steps& s : steps)
      if (period == 0 || s.stride % period != 0) sum += (s.count - 1) * s.stride;
    return sum;
  }
  std::int64_t end() const { return offset + reach(0); }
};

/// Whether two sets of bytes have none in common: one is behind the other, or they have other places in all periods of
/// some length. True only where it is.
bool are_apart(const Bytes& a, const Bytes& b) {
  if (a.end() <= b.offset || b.end() <= a.offset) return true;
  for (const Bytes* of : {&a, &b})
    for (const auto& [count, period] : of->steps) {
      if (count < 2 || period < 2) continue;
      const std::int64_t behind = ((b.offset - a.offset) % period + period) % period;
      if (behind >= a.reach(period) && behind + b.reach(period) <= period) return true;
    }
  return false;
}

/// What `rank` has of `from`, but the runs of others' of its lines alone, beside each other: point i of all runs comes
/// before point i + 1 of any. By the rank that gets it; empty pieces for those that get nothing. Nothing where rows of
/// lines are no whole ones.
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

/// Packs; false where the pass cannot, or what goes to others has no such order.
bool pack(Outbox& box, const Joined& steps, const Pieces& pieces, int rank) {
  const Pass& pass = *steps.before;
  const Layout &from = steps.from.layout, &to = steps.to.layout;
  const Piece here = only_piece(from, rank);
  if (pass.step.axes.size() != 1 || !to.is_grid() || here.set.empty()) return false;
  const auto line = static_cast<std::size_t>(pass.step.axes.front().axis);
  const auto whole = line_owners(pass.step, here, to, LineOwners::Side::output);
  if (!whole || !whole->has_all()) return false;
  const std::vector<Piece> packed = packed_pieces(from, to, line, rank);
  if (packed.empty()) return false;
  for (const Slice& slice : pieces.before) {
    const auto owners = line_owners(pass.step, sliced(here, slice), to, LineOwners::Side::output, [&](int q) {
      return q == rank ? only_piece(to, rank) : packed[static_cast<std::size_t>(q)];
    });
    if (!owners || !owners->has_all()) return false;
    box.owners.push_back(*owners);
  }
  box.packed = Layout::from_pieces(from.shape(), from.ranks(), [from, to, line](int r) {
    std::vector<Piece> mine = packed_pieces(from, to, line, r);
    std::erase_if(mine, [](const Piece& piece) { return piece.set.empty(); });
    return mine;
  });
  return true;
}

/// The bytes of the pieces of the transform before, and of what each message sends.
struct Sources {
  std::vector<std::vector<Bytes>> pieces{}, messages{};
};

Sources sources_of(const Outbox& box, const Joined& steps, const Pieces& cut, int rank, std::int64_t element) {
  const Layout& from = box.packed ? *box.packed : steps.from.layout;
  Sources sources;
  for (const Slice& slice : cut.before) {
    std::vector<Bytes>& piece = sources.pieces.emplace_back();
    for (const Piece& p : from.pieces(rank))
      if (const Piece part = sliced(p, slice); !part.set.empty()) piece.emplace_back(box_of(part), element, 0);
  }
  for (const Pieces::Message& message : cut.messages) {
    std::vector<Bytes>& sent = sources.messages.emplace_back();
    for (const Message& m : make_schedule(from, steps.to.layout, rank, message.from, message.to).send)
      for (const Box& of : m.boxes) sent.emplace_back(of, element, 0);
  }
  return sources;
}

std::int64_t begin_of(const std::vector<Bytes>& all) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Bytes& bytes : all) least = std::min(least, bytes.offset);
  return least;
}

std::int64_t end_of(const std::vector<Bytes>& all) {
  std::int64_t most = 0;
  for (const Bytes& bytes : all) most = std::max(most, bytes.end());
  return most;
}

/// Which pieces and messages lie in the output if the first `count` pieces do; false where some message takes of both
/// kinds, or those in the output have no room there.
bool divide(Outbox& box, const Sources& sources, std::size_t count, std::int64_t room) {
  std::int64_t end = 0, all = 0;
  box.rest_begin = std::numeric_limits<std::int64_t>::max();
  box.pieces.clear();
  for (std::size_t k = 0; k < sources.pieces.size(); ++k) {
    box.pieces.push_back(k < count);
    all = std::max(all, end_of(sources.pieces[k]));
    if (k < count)
      end = std::max(end, end_of(sources.pieces[k]));
    else
      box.rest_begin = std::min(box.rest_begin, begin_of(sources.pieces[k]));
  }
  if (count == sources.pieces.size()) box.rest_begin = all;
  if (end > box.rest_begin || (box.packed ? box.rest_begin : end) > room) return false;
  box.rest_bytes = all - box.rest_begin;
  box.messages.clear();
  for (const std::vector<Bytes>& message : sources.messages) {
    box.messages.push_back(end_of(message) <= end);
    if (!box.messages.back() && begin_of(message) < box.rest_begin) return false;
  }
  return true;
}

/// Whether no piece behind the reshape writes over what has not left by then. A message is on its way until those
/// behind it come: pieces that take one begin when this rank's messages have left up to that one.
bool leaves_in_time(const Outbox& box, const Sources& sources, const Joined& steps, const Pieces& cut, int rank,
                    std::int64_t element) {
  for (int k = 0; k < cut.afters(); ++k) {
    const Piece piece = sliced(only_piece(steps.after->after.layout, rank), cut.after[static_cast<std::size_t>(k)]);
    if (piece.set.empty()) continue;
    const Bytes written(box_of(piece), element, -box.offset);
    for (int m = cut.takes(k) + 1; m < cut.moves(); ++m)
      for (const Bytes& sent : sources.messages[static_cast<std::size_t>(m)])
        if (box.messages[static_cast<std::size_t>(m)] && !are_apart(sent, written)) return false;
  }
  return true;
}

}  // namespace

std::optional<Outbox> outbox_of(const Joined& steps, const Pieces& pieces, int rank, Precision precision, bool packed) {
  constexpr std::int64_t alignment = 256;
  const auto element = static_cast<std::int64_t>(element_bytes(steps.from, precision));
  const auto written = static_cast<std::int64_t>(element_bytes(steps.after->after, precision));
  const auto room = static_cast<std::int64_t>(state_bytes(steps.after->after, precision, rank));
  Outbox box;
  if (packed && !pack(box, steps, pieces, rank)) return std::nullopt;
  const Sources sources = sources_of(box, steps, pieces, rank, element);
  for (std::size_t count = sources.pieces.size(); count > 0; --count) {
    if (!divide(box, sources, count, room)) continue;
    // What leaves last lies as far behind as it can.
    if (packed) box.offset = (room - box.rest_begin) / alignment * alignment;
    if (leaves_in_time(box, sources, steps, pieces, rank, written)) return box;
  }
  return std::nullopt;
}

}  // namespace shardfft::gpu
