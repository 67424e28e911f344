#include "geometry/schedule.hpp"

#include <algorithm>
#include <set>

#include "base/check.hpp"

namespace shardfft {

namespace {

std::vector<Piece> sliced_pieces(const Layout& layout, int rank, const Slice& slice) {
  std::vector<Piece> pieces = layout.pieces(rank);
  for (Piece& piece : pieces) piece = sliced(piece, slice);
  return pieces;
}

void append_axis(Box& box, std::int64_t count, std::int64_t stride) {
  if (count == 1) return;
  if (box.axes > 0) {
    const auto last = static_cast<std::size_t>(box.axes - 1);
    if (box.stride[last] == count * stride) {
      box.count[last] *= count;
      box.stride[last] = stride;
      return;
    }
  }
  box.count[static_cast<std::size_t>(box.axes)] = count;
  box.stride[static_cast<std::size_t>(box.axes)] = stride;
  ++box.axes;
}

Box make_box(const Piece& piece, const IndexSet& common, const std::vector<std::size_t>& order) {
  Box box;
  box.offset = piece.offset;
  for (const std::size_t a : order) {
    const Progression& own = piece.set.axis[a];
    const Progression& part = common.axis[a];
    box.offset += own.position(part.first) * piece.stride[a];
    append_axis(box, part.count, part.stride / own.stride * piece.stride[a]);
  }
  return box;
}

struct Ends {
  const Layout& from;
  const Layout& to;
  const Slice& from_slice;
  const Slice& to_slice;
};

/// All boxes between sender and receiver, in an order that both compute alike.
std::vector<LocalCopy> pair_boxes(const Ends& ends, int sender, int receiver) {
  std::vector<LocalCopy> boxes;
  const std::vector<Piece> targets = sliced_pieces(ends.to, receiver, ends.to_slice);
  for (const Piece& source : sliced_pieces(ends.from, sender, ends.from_slice))
    for (const Piece& target : targets) {
      const IndexSet common = intersect(source.set, target.set);
      if (common.empty()) continue;
      boxes.push_back(copy_between(source, target, common));
    }
  return boxes;
}

std::set<int> overlapping_ranks(const Layout& layout, const std::vector<Piece>& pieces) {
  std::set<int> ranks;
  for (const Piece& p : pieces) layout.for_overlaps(p.set, [&ranks](int rank, const IndexSet&) { ranks.insert(rank); });
  return ranks;
}

Message make_message(int peer, const std::vector<LocalCopy>& boxes, bool sending, std::int64_t& offset) {
  Message message;
  message.peer = peer;
  message.offset = offset;
  for (const LocalCopy& b : boxes) {
    message.boxes.push_back(sending ? b.from : b.to);
    message.count += b.from.elements();
  }
  offset += message.count;
  return message;
}

}  // namespace

std::vector<std::size_t> memory_order(const Piece& piece) {
  std::vector<std::size_t> order;
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a) order.push_back(a);
  std::stable_sort(order.begin(), order.end(),
                   [&piece](std::size_t a, std::size_t b) { return piece.stride[a] > piece.stride[b]; });
  return order;
}

Box Box::run(std::int64_t offset, std::int64_t elements) {
  Box box;
  box.offset = offset;
  if (elements == 1) return box;
  box.axes = 1;
  box.count[0] = elements;
  box.stride[0] = 1;
  return box;
}

std::int64_t Box::elements() const {
  std::int64_t product = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a) product *= count[a];
  return product;
}

Piece only_piece(const Layout& layout, int rank) {
  const auto pieces = layout.pieces(rank);
  if (pieces.size() > 1) fail(Status::internal, "a step needs one index set a rank");
  Piece none;
  none.set.axes = layout.axes();
  return pieces.empty() ? none : pieces.front();
}

Piece sliced(Piece piece, const Slice& slice) {
  if (slice.axis < 0) return piece;
  const auto a = static_cast<std::size_t>(slice.axis);
  Progression& axis = piece.set.axis[a];
  const std::int64_t grains = (axis.count + slice.grain - 1) / slice.grain;
  const Progression last = block_part(grains, slice.parts, slice.index + slice.run - 1);
  const std::int64_t all = block_part(grains, slice.parts, slice.index).first, run = last.first + last.count - all;
  const auto index = [&](std::int64_t share) {
    return std::min((all + run * share / slice.shares) * slice.grain, axis.count);
  };
  const std::int64_t first = index(slice.begin), count = index(slice.end) - first;
  piece.offset += first * piece.stride[a];
  axis = {axis.at(first), count, axis.stride};
  return piece;
}

Schedule make_schedule(const Layout& from, const Layout& to, int rank, const Slice& from_slice, const Slice& to_slice) {
  const Ends ends{from, to, from_slice, to_slice};
  Schedule schedule;
  for (const int peer : overlapping_ranks(to, sliced_pieces(from, rank, from_slice))) {
    const auto boxes = pair_boxes(ends, rank, peer);
    if (boxes.empty()) continue;
    if (peer == rank)
      schedule.self = boxes;
    else
      schedule.send.push_back(make_message(peer, boxes, true, schedule.send_count));
  }
  for (const int peer : overlapping_ranks(from, sliced_pieces(to, rank, to_slice))) {
    if (peer == rank) continue;
    const auto boxes = pair_boxes(ends, peer, rank);
    if (!boxes.empty()) schedule.recv.push_back(make_message(peer, boxes, false, schedule.recv_count));
  }
  return schedule;
}

namespace {

/// Calls visit(owner, piece, common) for all pieces of a layout that share elements with `mine`, by owner from `rank`
/// on and round to it.
template <class Visit>
void for_each_owner(const Layout& layout, const Piece& mine, int rank, const Visit& visit) {
  const std::set<int> owners = overlapping_ranks(layout, {mine});
  std::vector<int> round(owners.lower_bound(rank), owners.end());
  round.insert(round.end(), owners.begin(), owners.lower_bound(rank));
  for (const int owner : round)
    for (const Piece& piece : layout.pieces(owner)) {
      const IndexSet common = intersect(piece.set, mine.set);
      if (!common.empty()) visit(owner, piece, common);
    }
}

}  // namespace

std::vector<PeerCopy> gather_boxes(const Layout& from, const Piece& target, int rank) {
  std::vector<PeerCopy> copies;
  for_each_owner(from, target, rank, [&](int owner, const Piece& source, const IndexSet& common) {
    copies.push_back({owner, copy_between(source, target, common)});
  });
  return copies;
}

std::vector<PeerCopy> scatter_boxes(const Piece& source, const Layout& to, int rank) {
  std::vector<PeerCopy> copies;
  for_each_owner(to, source, rank, [&](int owner, const Piece& target, const IndexSet& common) {
    copies.push_back({owner, copy_between(source, target, common)});
  });
  return copies;
}

LocalCopy copy_between(const Piece& from, const Piece& to, const IndexSet& part) {
  const auto order = memory_order(to);
  return {make_box(from, part, order), make_box(to, part, order)};
}

std::vector<int> exchange_group(const Layout& from, const Layout& to, int rank) {
  std::set<int> members{rank};
  std::vector<int> open{rank};
  while (!open.empty() && static_cast<int>(members.size()) < from.ranks()) {
    const int r = open.back();
    open.pop_back();
    std::set<int> peers = overlapping_ranks(to, from.pieces(r));
    peers.merge(overlapping_ranks(from, to.pieces(r)));
    for (const int p : peers)
      if (members.insert(p).second) open.push_back(p);
  }
  return {members.begin(), members.end()};
}

std::size_t table_bytes(const std::vector<Message>& messages) {
  std::size_t bytes = messages.size() * sizeof(Message);
  for (const Message& m : messages) bytes += m.boxes.size() * sizeof(Box);
  return bytes;
}

std::size_t table_bytes(const Schedule& schedule) {
  return table_bytes(schedule.send) + table_bytes(schedule.recv) + schedule.self.size() * sizeof(LocalCopy);
}

}  // namespace shardfft
