// The steps of a slab rank: what is enqueued where, and which events order it.
#include "cuda/slab/slab_rank.hpp"

namespace shardfft::cuda {

/// Work before this call on `stream` is done with the rank's arrays. The first piece needs no peer, so the GPU has work
/// while the ranks meet.
void SlabRank::begin_forward(const SlabArrays& own, StreamHandle stream) {
  const DeviceScope scope(device_);
  record(ready_.get(), stream);
  compute_forward(own, 0, 0, stream);
}

void SlabRank::begin_backward(const SlabArrays& own, StreamHandle stream) {
  const DeviceScope scope(device_);
  record(ready_.get(), stream);
  compute_backward(own, parts() - 1, stream);
}

/// What comes before the sends of (part, chunk); they wait for it.
void SlabRank::compute_forward(const SlabArrays& own, int p, int c, StreamHandle stream) {
  const Range planes = chunk(rank_, c);
  if (p == 0) plane_transform(own, planes, Direction::forward, stream);
  if (fusion_.y && planes.count() > 0) y_lines_forward(own, planes, part(p), stream);
  release_copies(stream);
}

void SlabRank::compute_backward(const SlabArrays& own, int p, StreamHandle stream) {
  x_lines_backward(own, part(p), stream);
  release_copies(stream);
}

void SlabRank::release_copies(StreamHandle stream) {
  record(computed_.get(), stream);
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) wait(copy_[static_cast<std::size_t>(q)].get(), computed_.get());
}

void SlabRank::wait_until_ready(std::span<const SlabPeer> peers) {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) wait(copy_[static_cast<std::size_t>(q)].get(), peers[static_cast<std::size_t>(q)].ready);
}

/// The copy of `count` planes times the rows of rank `rows_of`, a part of z, between planes and x rows.
BoxCopy SlabRank::block(char* planes, char* x_rows, int rows_of, std::int64_t count, Range z, bool to_rows) const {
  const std::size_t element = shape_.complex_bytes(), skip = static_cast<std::size_t>(z.begin) * element;
  const auto rows = static_cast<std::size_t>(shape_.y_count(rows_of)), slices = static_cast<std::size_t>(count);
  const std::size_t pitch = static_cast<std::size_t>(shape_.pitch()) * element;
  const CopySide in_planes{planes + skip, pitch, pitch * static_cast<std::size_t>(shape_.ny)};
  const CopySide in_rows{x_rows + skip, pitch, pitch * rows};
  BoxCopy box{in_rows, in_planes, static_cast<std::size_t>(z.count()) * element, rows, slices};
  if (!to_rows) std::swap(box.to, box.from);
  if (box.bytes == pitch)  // whole rows: one long row a plane
    box = {{box.to.base, box.to.slice, 0}, {box.from.base, box.from.slice, 0}, pitch * rows, slices, 1};
  return box;
}

/// Rows y of every peer, of a run of own planes and a part of z.
void SlabRank::send_planes(const SlabArrays& own, std::span<const SlabPeer> peers, int p, int c) {
  const Range planes = chunk(rank_, c);
  for (int step = 1; step <= shape_.ranks; ++step) {
    const int q = (rank_ + step) % shape_.ranks;
    if (!copies_to(q)) continue;
    void* there = peers[static_cast<std::size_t>(q)].arrays.x_rows();
    const StreamHandle stream = copy_[static_cast<std::size_t>(q)].get();
    const SlabPiece piece(options_.observer, "send", rank_, stream);
    copy_box(block(plane_row(own.planes, planes.begin, shape_.y_begin(q)),
                   x_row(there, q, shape_.x_begin(rank_) + planes.begin, 0), q, planes.count(), part(p), true),
             stream);
    record(sent(p, c, q), stream);
  }
}

/// A run of every peer's planes, the rows y of this rank, a part of z.
void SlabRank::send_rows(const SlabArrays& own, std::span<const SlabPeer> peers, int p, int c) {
  for (int step = 1; step <= shape_.ranks; ++step) {
    const int q = (rank_ + step) % shape_.ranks;
    if (!copies_to(q)) continue;
    const Range planes = chunk(q, c);
    void* there = peers[static_cast<std::size_t>(q)].arrays.planes;
    const StreamHandle stream = copy_[static_cast<std::size_t>(q)].get();
    const SlabPiece piece(options_.observer, "send", rank_, stream);
    copy_box(
        block(plane_row(there, planes.begin, shape_.y_begin(rank_)),
              x_row(own.x_rows(), rank_, shape_.x_begin(q) + planes.begin, 0), rank_, planes.count(), part(p), false),
        stream);
    record(sent(p, c, q), stream);
  }
}

/// `stream` continues when every peer's copy of (part, chunk) into this rank is there.
void SlabRank::wait_for_peers(std::span<const SlabPeer> peers, int p, int c, StreamHandle stream) const {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) wait(stream, peers[static_cast<std::size_t>(q)].sent_here[event_index(p, c)]);
}

/// `stream` continues when this rank's own copies up to (part, chunk) have left: their source may be overwritten.
void SlabRank::wait_for_own_copies(int p, int c, StreamHandle stream) const {
  for (int q = 0; q < shape_.ranks; ++q)
    if (copies_to(q)) wait(stream, sent(p, c, q));
}

void SlabRank::send_forward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream) {
  const DeviceScope scope(device_);
  wait_until_ready(peers);
  for (int p = 0; p < parts(); ++p)
    for (int c = 0; c < chunks(); ++c) {
      if (p > 0 || c > 0) compute_forward(own, p, c, stream);
      send_planes(own, peers, p, c);
    }
}

void SlabRank::finish_forward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream) {
  const DeviceScope scope(device_);
  for (int p = 0; p < parts(); ++p) {
    wait_for_peers(peers, p, chunks() - 1, stream);
    x_lines_forward(own, part(p), stream);
  }
  wait_for_own_copies(parts() - 1, chunks() - 1, stream);
}

void SlabRank::send_backward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream) {
  const DeviceScope scope(device_);
  wait_until_ready(peers);
  for (int p = parts() - 1; p >= 0; --p) {
    if (p < parts() - 1) compute_backward(own, p, stream);
    for (int c = 0; c < chunks(); ++c) send_rows(own, peers, p, c);
  }
}

void SlabRank::finish_backward(const SlabArrays& own, std::span<const SlabPeer> peers, StreamHandle stream) {
  const DeviceScope scope(device_);
  for (int p = parts() - 1; p >= 0; --p)
    for (int c = 0; c < chunks(); ++c) {
      const Range planes = chunk(rank_, c);
      wait_for_peers(peers, p, c, stream);
      if (fusion_.y && planes.count() > 0) y_lines_backward(own, planes, part(p), stream);
      if (p == 0) plane_transform(own, planes, Direction::backward, stream);
    }
  wait_for_own_copies(0, chunks() - 1, stream);
}

}  // namespace shardfft::cuda
