// The steps of a slab rank: what is enqueued where, and which events order it.
#include "gpu/slab/slab_rank.hpp"

namespace shardfft::gpu {

/// Work before this call on `stream` is done with the rank's arrays. The first piece needs no peer, so the GPU has work
/// while the ranks meet.
void SlabRank::begin_forward(const SlabArrays& own, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  open_for_peers(own, stream);
  if (options_.stores) return;
  first_part_forward(own, chunk(rank_, 0, 0), {}, stream);
  release_copies(Direction::forward, stream);
}

void SlabRank::begin_backward(const SlabArrays& own, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  if (!options_.in_place) open_for_peers(own, stream);
  if (options_.stores) return;
  if (!options_.in_place) {
    x_lines_backward(own, parts() - 1, {}, stream);
    return release_copies(Direction::backward, stream);
  }
  clear_tokens(own, stream);
  for (int p = parts() - 1; p >= 0; --p) {
    x_lines_backward(own, p, {}, stream);
    device::record(ready(p), stream);
  }
}

/// From here on peers may write: the tokens of the last call are taken back before that.
void SlabRank::open_for_peers(const SlabArrays& own, device::StreamHandle stream) {
  clear_tokens(own, stream);
  device::record(ready(), stream);
}

void SlabRank::clear_tokens(const SlabArrays& own, device::StreamHandle stream) const {
  if (own.tokens != nullptr) device::fill_zero(own.tokens, tokens() * sizeof *own.tokens, stream);
}

/// The sends that come next wait for what `stream` has done so far.
void SlabRank::release_copies(Direction direction, device::StreamHandle stream) {
  device::record(computed_.get(), stream);
  if (shape_.ranks > 1) device::wait(copy_[0].get(), computed_.get());
  if (copies_to(rank_, direction)) device::wait(copy_[1].get(), computed_.get());
}

void SlabRank::wait_until_ready(std::span<const SlabPeer> peers, int p, Direction direction) {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q, direction))
      device::wait(copy_stream(q), peers[static_cast<std::size_t>(q)].ready[static_cast<std::size_t>(p)]);
}

/// `x` of the planes of one rank times `y` of the rows of another one, a part of z, from where the former has them to
/// where the latter does, or the other way round. Parts begin at z = 0.
struct SlabRank::Block {
  device::lines::Part planes, rows;
  std::int64_t x, y;
  Range z;
  bool to_rows;
};

device::BoxCopy SlabRank::block(const Block& b) const {
  const auto bytes = [this](std::int64_t numbers) {
    return static_cast<std::size_t>(numbers) * shape_.complex_bytes();
  };
  // The rows that are neighbours on both sides make a slice.
  const auto side = [&](const device::lines::Part& part) {
    const device::CopySide lines{static_cast<char*>(part.base) + bytes(b.z.begin), bytes(part.line_stride),
                                 bytes(part.outer_stride)};
    return shape_.woven ? device::CopySide{lines.base, lines.slice, lines.pitch} : lines;
  };
  const auto rows = static_cast<std::size_t>(shape_.woven ? b.x : b.y);
  const auto slices = static_cast<std::size_t>(shape_.woven ? b.y : b.x);
  device::BoxCopy box{side(b.rows), side(b.planes), bytes(b.z.count()), rows, slices};
  if (!b.to_rows) std::swap(box.to, box.from);
  if (box.bytes == box.to.pitch && box.bytes == box.from.pitch)  // whole rows: one long row a slice
    box = {{box.to.base, box.to.slice, 0}, {box.from.base, box.from.slice, 0}, box.bytes * rows, slices, 1};
  return box;
}

/// Rows y of rank q, of a run of own planes in one array and a part of z.
device::BoxCopy SlabRank::planes_block(const SlabArrays& own, const SlabArrays& there, int q, int p,
                                       Range planes) const {
  device::lines::Part rows = planes_leaving(own, q, p, planes.begin);
  rows.base = static_cast<char*>(rows.base) +
              planes.begin * rows.outer_stride * static_cast<std::int64_t>(shape_.complex_bytes());
  return block({rows, part_of_rows(there.x_rows(), q, shape_.x_begin(rank_) + planes.begin), planes.count(),
                shape_.y_count(q), part(p), true});
}

/// A run of the planes of rank q, the rows y of this rank, a part of z.
device::BoxCopy SlabRank::rows_block(const SlabArrays& own, const SlabArrays& there, int q, Turn turn) const {
  const Range planes = chunk(q, turn.part, turn.chunk);
  device::lines::Part rows = leaving(own, q, turn.part);
  rows.base = static_cast<char*>(rows.base) +
              planes.begin * rows.outer_stride * static_cast<std::int64_t>(shape_.complex_bytes());
  return block({part_of_planes(there.planes, q, planes.begin, shape_.y_begin(rank_)), rows, planes.count(),
                shape_.y_count(rank_), part(turn.part), false});
}

SlabRank::Turn SlabRank::turn_of(int turn, Direction direction) const {
  const int index = direction == Direction::forward ? turn : turns() - 1 - turn;
  int part = 0;
  while (index >= turns_before(part + 1)) ++part;
  return {part, index - turns_before(part)};
}

/// One turn: to each peer, the next rank first.
void SlabRank::send(const SlabArrays& own, std::span<const SlabPeer> peers, int turn, Direction direction) {
  const Turn now = turn_of(turn, direction);
  for (int step = 1; step <= shape_.ranks; ++step) {
    const int q = ring().to(step);
    if (!copies_to(q, direction)) continue;
    const SlabArrays& there = peers[static_cast<std::size_t>(q)].arrays;
    const device::StreamHandle stream = copy_stream(q);
    ring().await(own.tokens, turn, step, stream);
    if (direction == Direction::backward)
      device::copy_box(rows_block(own, there, q, now), stream);
    else
      for (const Range& run : where_they_lie(own, chunk(rank_, now.part, now.chunk)))
        device::copy_box(planes_block(own, there, q, now.part, run), stream);
    const auto tokens = [&peers](int rank) { return peers[static_cast<std::size_t>(rank)].arrays.tokens; };
    ring().pass(tokens, turn, step, stream);  // first: another rank's copy waits for it
    device::record(sent(now.part, now.chunk, q), stream);
  }
}

/// `stream` continues when every peer's copy of (part, chunk) into this rank is there.
void SlabRank::wait_for_peers(std::span<const SlabPeer> peers, Turn turn, Direction direction,
                              device::StreamHandle stream) const {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q, direction))
      device::wait(stream, peers[static_cast<std::size_t>(q)].sent_here[event_index(turn.part, turn.chunk)]);
}

/// `stream` continues when this rank's own copies up to (part, chunk) have left: their source may be overwritten.
void SlabRank::wait_for_own_copies(Turn turn, Direction direction, device::StreamHandle stream) const {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q, direction)) device::wait(stream, sent(turn.part, turn.chunk, q));
}

/// The last turn on the way back that sends rows from where the field will have these planes; -1: none does.
int SlabRank::last_turn_in(const SlabArrays& own, Range planes) const {
  if (own.rows == nullptr || own.rows != own.field) return -1;
  const auto bytes = static_cast<std::int64_t>(shape_.complex_bytes());
  const auto plane = static_cast<std::int64_t>(shape_.field_element_bytes()) * shape_.ny * shape_.nz;
  for (int turn = turns() - 1; turn >= 0; --turn) {
    const auto [p, c] = turn_of(turn, Direction::backward);
    for (int q = 0; q < shape_.ranks; ++q) {
      const Range sent = chunk(q, p, c);
      if (!copies_to(q, Direction::backward) || sent.count() == 0) continue;
      if (shape_.woven) return turn;  // any plane is all over the field
      const device::lines::Part rows = leaving(own, q, p);
      const std::int64_t first = static_cast<char*>(rows.base) - static_cast<char*>(own.field) + part(p).begin * bytes;
      const std::int64_t rest = (shape_.y_count(rank_) - 1) * rows.line_stride + part(p).count();
      const std::int64_t begin = first + sent.begin * rows.outer_stride * bytes;
      const std::int64_t end = first + ((sent.end - 1) * rows.outer_stride + rest) * bytes;
      if (begin < planes.end * plane && planes.begin * plane < end) return turn;
    }
  }
  return -1;
}

void SlabRank::drain() const {
  const device::DeviceScope scope(device_);
  for (const device::Stream& copies : copy_) device::synchronize(copies.get());
}

/// In place of copies: pass() writes to all peers.
template <class Pass>
void SlabRank::store(std::span<const SlabPeer> peers, device::StreamHandle stream, Pass pass) {
  for (int q = 0; q < shape_.ranks; ++q)
    if (q != rank_) device::wait(stream, peers[static_cast<std::size_t>(q)].ready.front());
  pass();
  for (int q = 0; q < shape_.ranks; ++q)
    if (q != rank_) device::record(sent(0, 0, q), stream);
}

void SlabRank::send_forward(const SlabArrays& own, std::span<const SlabPeer> peers, int turn,
                            device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  if (options_.stores) return store(peers, stream, [&] { first_part_forward(own, chunk(rank_, 0, 0), peers, stream); });
  const auto [p, c] = turn_of(turn, Direction::forward);
  if (turn == 0) {
    wait_until_ready(peers, 0, Direction::forward);
  } else {
    if (p == 0)
      first_part_forward(own, chunk(rank_, p, c), {}, stream);
    else
      for (const Range& run : where_they_lie(own, chunk(rank_, p, c)))
        y_lines(own, y_pass_forward(own, run, p, {}), stream);
    release_copies(Direction::forward, stream);
  }
  send(own, peers, turn, Direction::forward);
}

void SlabRank::finish_forward(const SlabArrays& own, std::span<const SlabPeer> peers, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  for (int p = 0; p < parts(); ++p) {
    const Turn last{p, chunks(p) - 1};
    wait_for_peers(peers, last, Direction::forward, stream);
    if (own.planes == own.spectrum && (p == 0 || own.packed == nullptr))
      wait_for_own_copies(last, Direction::forward, stream);
    x_lines_forward(own, part(p), stream);
  }
  wait_for_own_copies({parts() - 1, chunks(parts() - 1) - 1}, Direction::forward, stream);
}

void SlabRank::send_backward(const SlabArrays& own, std::span<const SlabPeer> peers, int turn,
                             device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  if (options_.stores) return store(peers, stream, [&] { x_lines_backward(own, 0, peers, stream); });
  const auto [p, c] = turn_of(turn, Direction::backward);
  const bool begins_part = c == chunks(p) - 1;
  if (options_.in_place && begins_part) {
    device::wait(copy_[0].get(), ready(p));
    wait_until_ready(peers, p, Direction::backward);
  } else if (turn == 0) {
    wait_until_ready(peers, 0, Direction::backward);
  } else if (begins_part) {
    x_lines_backward(own, p, {}, stream);
    release_copies(Direction::backward, stream);
  }
  send(own, peers, turn, Direction::backward);
}

void SlabRank::finish_backward(const SlabArrays& own, std::span<const SlabPeer> peers, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  for (int turn = 0; turn < turns(); ++turn) {
    const auto [p, c] = turn_of(turn, Direction::backward);
    const Range planes = chunk(rank_, p, c);
    wait_for_peers(peers, {p, c}, Direction::backward, stream);
    if (p != 0) {
      y_lines(own, y_pass(own, planes, part(p), Direction::backward), stream);
      continue;
    }
    const int leaves = last_turn_in(own, planes);
    if (leaves >= 0) wait_for_own_copies(turn_of(leaves, Direction::backward), Direction::backward, stream);
    first_part_backward(own, planes, stream);
  }
  wait_for_own_copies({0, 0}, Direction::backward, stream);
}

}  // namespace shardfft::gpu
