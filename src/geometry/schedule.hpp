#pragma once
// The messages that one rank sends and receives to change the layout of an array. Pure geometry: computed for any rank
// without communication.
#include <array>
#include <cstdint>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// A strided box in a local array, in elements; axis 0 is the slowest in packed order. Axes of one element are dropped,
/// and neighbouring axes that are contiguous are merged.
struct Box {
  int axes = 0;
  std::int64_t offset = 0;
  std::array<std::int64_t, max_axes> count{};
  std::array<std::int64_t, max_axes> stride{};

  std::int64_t elements() const;
  /// `elements` elements one behind the other from `offset`.
  static Box run(std::int64_t offset, std::int64_t elements);
  bool contiguous() const { return axes == 0 || (axes == 1 && stride[0] == 1); }
};

/// All data between this rank and one peer: boxes in the local array, and a run of `count` elements from `offset` in
/// the packed buffer. It holds the boxes one behind the other, in the order of the receiving array's memory.
struct Message {
  int peer = 0;
  std::int64_t offset = 0;
  std::int64_t count = 0;
  std::vector<Box> boxes;
};

/// A box that stays on its rank, with the same axes in the same order in both arrays.
struct LocalCopy {
  Box from;
  Box to;
};

struct Schedule {
  std::vector<Message> send;  ///< by ascending peer, without this rank itself
  std::vector<Message> recv;
  std::vector<LocalCopy> self;
  std::int64_t send_count = 0;
  std::int64_t recv_count = 0;
};

/// Memory of a list of messages or copies.
std::size_t table_bytes(const std::vector<Message>& messages);
std::size_t table_bytes(const Schedule& schedule);

/// Parts [index, index + run) of `parts` near-equal parts of every rank's own indices along `axis`, and of these the
/// shares [begin, end) of `shares` equal ones. If axis < 0, all indices. Parts and shares begin at multiples of `grain`
/// indices.
struct Slice {
  int axis = -1;
  std::int64_t parts = 1;
  std::int64_t index = 0;
  std::int64_t grain = 1;
  std::int64_t run = 1;
  std::int64_t shares = 1, begin = 0, end = 1;
  bool operator==(const Slice&) const = default;
};

/// Axes of a piece from the slowest to the fastest in memory: the packed order of messages to it.
std::vector<std::size_t> memory_order(const Piece& piece);
/// The only piece of `rank`, or an empty one. Throws Error(internal) if there are several.
Piece only_piece(const Layout& layout, int rank);
/// The part of a rank's piece that `slice` selects.
Piece sliced(Piece piece, const Slice& slice);

/// Elements of `from` (restricted to `from_slice`) that are in `to` (restricted to `to_slice`).
Schedule make_schedule(const Layout& from, const Layout& to, int rank, const Slice& from_slice = {},
                       const Slice& to_slice = {});

/// A copy between an array of this rank and one of `peer`.
struct PeerCopy {
  int peer = 0;
  LocalCopy boxes;
};

/// The places of the elements of `target` in the arrays of their owners, for `rank` to read. The list begins with its
/// own array and goes round the owners: otherwise all ranks would read the same owner's cache at once.
std::vector<PeerCopy> gather_boxes(const Layout& from, const Piece& target, int rank);
/// The places of the elements of `source` in the arrays of a layout's owners, for `rank` to write, in the same order of
/// owners.
std::vector<PeerCopy> scatter_boxes(const Piece& source, const Layout& to, int rank);

/// Copies the elements of `part`, a subset of both pieces' index sets, from their places in `from` to those in `to`.
LocalCopy copy_between(const Piece& from, const Piece& to, const IndexSet& part);
/// The places of a piece's elements.
inline Box box_of(const Piece& piece) { return copy_between(piece, piece, piece.set).from; }

/// Ranks that `rank` reaches through messages, directly or through others: the members of its exchange, ascending.
std::vector<int> exchange_group(const Layout& from, const Layout& to, int rank);

}  // namespace shardfft
