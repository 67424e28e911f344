#include "geometry/staying_part.hpp"

#include <algorithm>
#include <limits>

#include "geometry/schedule.hpp"

namespace shardfft {

namespace {

IndexSet common_of(const Layout& from, const Layout& to, int rank) {
  return intersect(only_piece(from, rank).set, only_piece(to, rank).set);
}

/// The places of a rank's elements that stay before a complex-to-real transform. None if they have no room.
std::optional<Piece> before_c2r(const IndexSet& own, const Piece& real, const std::vector<int>& axes) {
  Piece piece{own, real.offset / 2, {}};
  if (own.empty()) return piece;
  std::int64_t stride = 1, room = std::numeric_limits<std::int64_t>::max(), reach = 1;
  const std::vector<std::size_t> order = memory_order(real);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const std::size_t a = *at;
    if (std::find(axes.begin(), axes.end(), static_cast<int>(a)) != axes.end()) {
      piece.stride[a] = stride;
      stride *= own.axis[a].count;
      reach += (real.set.axis[a].count - 1) * real.stride[a];
      continue;
    }
    piece.set.axis[a] = real.set.axis[a];
    piece.stride[a] = real.stride[a] / 2;
    if (real.set.axis[a].count == 1) continue;
    if (real.stride[a] % 2 != 0) return std::nullopt;
    room = std::min(room, real.stride[a]);
  }
  return real.offset % 2 == 0 && reach <= room && 2 * stride <= reach ? std::optional(piece) : std::nullopt;
}

}  // namespace

std::optional<Layout> StayingPart::places_before_c2r(const Layout& from, const Layout& to, const Layout& real,
                                                     const std::vector<int>& axes) {
  std::vector<Piece> pieces;
  for (int rank = 0; rank < from.ranks(); ++rank) {
    const auto piece = before_c2r(common_of(from, to, rank), only_piece(real, rank), axes);
    if (!piece) return std::nullopt;
    pieces.push_back(*piece);
  }
  return Layout::from_pieces(from.shape(), from.ranks(),
                             [pieces](int rank) { return std::vector{pieces[static_cast<std::size_t>(rank)]}; });
}

std::optional<StayingPart> StayingPart::between(const Layout& from, const Layout& to, const Layout& places) {
  StayingPart array{from, to, places, -1};
  for (int rank = 0; rank < from.ranks(); ++rank) {
    if (from.pieces(rank).size() > 1 || to.pieces(rank).size() > 1) return std::nullopt;
    const IndexSet all = only_piece(from, rank).set, own = common_of(from, to, rank);
    for (int a = 0; a < all.axes && !own.empty(); ++a) {
      const Progression &mine = all.axis[static_cast<std::size_t>(a)], &part = own.axis[static_cast<std::size_t>(a)];
      if (part.count == mine.count) continue;
      if ((array.axis >= 0 && a != array.axis) || (part.count > 1 && part.stride != mine.stride)) return std::nullopt;
      array.axis = a;
    }
  }
  return array.axis < 0 ? std::nullopt : std::optional(array);
}

std::vector<Piece> StayingPart::leaving(int rank) const {
  Piece piece = only_piece(from, rank);
  const IndexSet own = common_of(from, to, rank);
  if (own.empty()) return {piece};
  const auto cut = static_cast<std::size_t>(axis);
  const Progression all = piece.set.axis[cut], part = own.axis[cut];
  const std::vector<std::size_t> order = memory_order(piece);
  std::int64_t stride = 1;
  for (auto a = order.rbegin(); a != order.rend(); ++a) {
    piece.stride[*a] = stride;
    stride *= *a == cut ? all.count - part.count : piece.set.axis[*a].count;
  }
  std::vector<Piece> pieces(2, piece);
  const std::int64_t before = all.position(part.first), behind = before + part.count;
  pieces[0].set.axis[cut].count = before;
  pieces[1].set.axis[cut] = {all.at(behind), all.count - behind, all.stride};
  pieces[1].offset = before * piece.stride[cut];
  std::erase_if(pieces, [](const Piece& p) { return p.set.empty(); });
  return pieces;
}

std::vector<Piece> StayingPart::staying(int rank) const {
  const IndexSet own = common_of(from, to, rank);
  if (own.empty()) return {};
  const Piece all = only_piece(places, rank);
  Piece piece{own, all.offset, {}};
  for (std::size_t a = 0; a < static_cast<std::size_t>(own.axes); ++a) {
    piece.offset += all.set.axis[a].position(own.axis[a].first) * all.stride[a];
    piece.stride[a] = own.axis[a].stride / all.set.axis[a].stride * all.stride[a];
  }
  return {piece};
}

Layout StayingPart::leaving() const {
  return Layout::from_pieces(from.shape(), from.ranks(), [*this](int rank) { return leaving(rank); });
}

Layout StayingPart::sources(int rank) const {
  return Layout::from_pieces(from.shape(), from.ranks(),
                             [*this, rank](int r) { return r == rank ? staying(r) : leaving(r); });
}

Layout StayingPart::targets(int rank) const {
  return Layout::from_pieces(from.shape(), from.ranks() + 1, [*this, rank, behind = from.ranks()](int r) {
    return r == rank ? leaving(r) : r == behind ? staying(rank) : std::vector<Piece>{};
  });
}

}  // namespace shardfft
