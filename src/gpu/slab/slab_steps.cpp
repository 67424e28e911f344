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
  release_copies(stream);
}

void SlabRank::begin_backward(const SlabArrays& own, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  open_for_peers(own, stream);
  if (options_.stores) return;
  x_lines_backward(own, part(parts() - 1), {}, stream);
  release_copies(stream);
}

/// From here on peers may write: the tokens of the last call are taken back before that.
void SlabRank::open_for_peers(const SlabArrays& own, device::StreamHandle stream) {
  if (own.tokens != nullptr) device::fill_zero(own.tokens, tokens() * sizeof *own.tokens, stream);
  device::record(ready_.get(), stream);
}

/// The sends that come next wait for what `stream` has done so far.
void SlabRank::release_copies(device::StreamHandle stream) {
  device::record(computed_.get(), stream);
  if (shape_.ranks > 1) device::wait(copy_[0].get(), computed_.get());
  if (copies_to(rank_)) device::wait(copy_[1].get(), computed_.get());
}

void SlabRank::wait_until_ready(std::span<const SlabPeer> peers) {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) device::wait(copy_stream(q), peers[static_cast<std::size_t>(q)].ready);
}

/// `count` of the planes of one rank times the rows of another one, a part of z, in the planes of the former and in the
/// x rows of the latter.
struct SlabRank::Block {
  char *planes, *x_rows;
  int planes_of, rows_of;
  std::int64_t count;
  Range z;
  bool to_rows;
};

device::BoxCopy SlabRank::block(const Block& b) const {
  const std::size_t element = shape_.complex_bytes(), skip = static_cast<std::size_t>(b.z.begin) * element;
  const std::size_t pitch = static_cast<std::size_t>(shape_.pitch()) * element;
  const auto x = static_cast<std::size_t>(b.count), y = static_cast<std::size_t>(shape_.y_count(b.rows_of));
  // The rows that are neighbours on both sides make a slice.
  const std::size_t rows = shape_.woven ? x : y, slices = shape_.woven ? y : x;
  const std::int64_t from_slice = shape_.woven ? shape_.field_y(b.planes_of) : shape_.field_x();
  const std::int64_t to_slice = shape_.woven ? shape_.spectrum_y() : shape_.spectrum_x(b.rows_of);
  const device::CopySide in_planes{b.planes + skip, pitch, pitch * static_cast<std::size_t>(from_slice)};
  const device::CopySide in_rows{b.x_rows + skip, pitch, pitch * static_cast<std::size_t>(to_slice)};
  device::BoxCopy box{in_rows, in_planes, static_cast<std::size_t>(b.z.count()) * element, rows, slices};
  if (!b.to_rows) std::swap(box.to, box.from);
  if (box.bytes == pitch)  // whole rows: one long row a slice
    box = {{box.to.base, box.to.slice, 0}, {box.from.base, box.from.slice, 0}, pitch * rows, slices, 1};
  return box;
}

/// Rows y of rank q, of a run of own planes and a part of z.
device::BoxCopy SlabRank::planes_block(const SlabArrays& own, const SlabArrays& there, int q, Turn turn) const {
  const Range planes = chunk(rank_, turn.part, turn.chunk);
  return block({plane_row(own.planes, rank_, planes.begin, shape_.y_begin(q)),
                x_row(there.x_rows(), q, shape_.x_begin(rank_) + planes.begin, 0), rank_, q, planes.count(),
                part(turn.part), true});
}

/// A run of the planes of rank q, the rows y of this rank, a part of z.
device::BoxCopy SlabRank::rows_block(const SlabArrays& own, const SlabArrays& there, int q, Turn turn) const {
  const Range planes = chunk(q, turn.part, turn.chunk);
  return block({plane_row(there.planes, q, planes.begin, shape_.y_begin(rank_)),
                x_row(own.x_rows(), rank_, shape_.x_begin(q) + planes.begin, 0), q, rank_, planes.count(),
                part(turn.part), false});
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
    const int q = (rank_ + step) % shape_.ranks;
    if (!copies_to(q)) continue;
    const SlabArrays& there = peers[static_cast<std::size_t>(q)].arrays;
    const device::StreamHandle stream = copy_stream(q);
    await_token(own, turn, step);
    device::copy_box(
        direction == Direction::forward ? planes_block(own, there, q, now) : rows_block(own, there, q, now), stream);
    pass_token(peers, turn, step);  // first: another rank's copy waits for it
    device::record(sent(now.part, now.chunk, q), stream);
  }
}

/// Before the copy to the rank `step` after this one: until the copy that comes before it into that rank is there.
void SlabRank::await_token(const SlabArrays& own, int turn, int step) const {
  if (own.tokens == nullptr || step == shape_.ranks || (turn == 0 && step == 1)) return;
  device::await_signal(own.tokens + turn * shape_.ranks + step, copy_[0].get());
}

/// After that copy: the next one into that rank comes from the rank before this one or, in the next turn, from the one
/// before that.
void SlabRank::pass_token(std::span<const SlabPeer> peers, int turn, int step) const {
  const int ranks = shape_.ranks;
  const bool last = step == ranks - 1;
  if (step == ranks || (last && turn == turns() - 1)) return;
  const int next = (rank_ + ranks - (last ? 2 : 1)) % ranks;
  std::uint32_t* const tokens = peers[static_cast<std::size_t>(next)].arrays.tokens;
  if (tokens == nullptr) return;
  device::signal(tokens + (last ? (turn + 1) * ranks + 1 : turn * ranks + step + 1), copy_[0].get());
}

/// `stream` continues when every peer's copy of (part, chunk) into this rank is there.
void SlabRank::wait_for_peers(std::span<const SlabPeer> peers, int p, int c, device::StreamHandle stream) const {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) device::wait(stream, peers[static_cast<std::size_t>(q)].sent_here[event_index(p, c)]);
}

/// `stream` continues when this rank's own copies up to (part, chunk) have left: their source may be overwritten.
void SlabRank::wait_for_own_copies(int p, int c, device::StreamHandle stream) const {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) device::wait(stream, sent(p, c, q));
}

void SlabRank::drain() const {
  const device::DeviceScope scope(device_);
  for (const device::Stream& copies : copy_) device::synchronize(copies.get());
}

/// In place of copies: pass() writes to all peers.
template <class Pass>
void SlabRank::store(std::span<const SlabPeer> peers, device::StreamHandle stream, Pass pass) {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) device::wait(stream, peers[static_cast<std::size_t>(q)].ready);
  pass();
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) device::record(sent(0, 0, q), stream);
}

void SlabRank::send_forward(const SlabArrays& own, std::span<const SlabPeer> peers, int turn,
                            device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  if (options_.stores) return store(peers, stream, [&] { first_part_forward(own, chunk(rank_, 0, 0), peers, stream); });
  const auto [p, c] = turn_of(turn, Direction::forward);
  if (turn == 0) {
    wait_until_ready(peers);
  } else {
    if (p == 0)
      first_part_forward(own, chunk(rank_, p, c), {}, stream);
    else
      y_lines(own, y_pass_forward(own, chunk(rank_, p, c), part(p), {}), stream);
    release_copies(stream);
  }
  send(own, peers, turn, Direction::forward);
}

void SlabRank::finish_forward(const SlabArrays& own, std::span<const SlabPeer> peers, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  for (int p = 0; p < parts(); ++p) {
    wait_for_peers(peers, p, chunks(p) - 1, stream);
    x_lines_forward(own, part(p), stream);
  }
  wait_for_own_copies(parts() - 1, chunks(parts() - 1) - 1, stream);
}

void SlabRank::send_backward(const SlabArrays& own, std::span<const SlabPeer> peers, int turn,
                             device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  if (options_.stores) return store(peers, stream, [&] { x_lines_backward(own, part(0), peers, stream); });
  const auto [p, c] = turn_of(turn, Direction::backward);
  if (turn == 0) {
    wait_until_ready(peers);
  } else if (c == chunks(p) - 1) {  // the first one of its part
    x_lines_backward(own, part(p), {}, stream);
    release_copies(stream);
  }
  send(own, peers, turn, Direction::backward);
}

void SlabRank::finish_backward(const SlabArrays& own, std::span<const SlabPeer> peers, device::StreamHandle stream) {
  const device::DeviceScope scope(device_);
  for (int turn = 0; turn < turns(); ++turn) {
    const auto [p, c] = turn_of(turn, Direction::backward);
    const Range planes = chunk(rank_, p, c);
    wait_for_peers(peers, p, c, stream);
    if (p == 0)
      first_part_backward(own, planes, stream);
    else
      y_lines(own, y_pass(own, planes, part(p), Direction::backward), stream);
  }
  wait_for_own_copies(0, 0, stream);
}

}  // namespace shardfft::gpu
