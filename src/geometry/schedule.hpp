#pragma once
// What one rank sends and receives when an array changes its layout. Pure geometry: computed for any rank
// without communication.
#include <array>
#include <cstdint>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// A strided box in a local array, in elements; axis 0 is the slowest in packed order. Axes of one element are left
/// out, neighbouring axes that are contiguous are merged.
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

/// All data between this rank and one peer: boxes in the local array, and a run of `count` elements from `offset`
/// in the packed buffer (the boxes one behind the other, in the order of the receiving array's memory).
struct Message {
  int peer = 0;
  std::int64_t offset = 0;
  std::int64_t count = 0;
  std::vector<Box> boxes;
};

/// A box that stays on its rank: same axes in the same order on both sides.
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

/// Part `index` of `parts` near-equal runs of every rank's own indices along `axis`, or `run` parts from there on; axis
/// < 0 means everything. Runs begin at multiples of `grain` of these indices. Of that, the share from `begin` to `end`
/// of `shares`, likewise.
struct Slice {
  int axis = -1;
  std::int64_t parts = 1;
  std::int64_t index = 0;
  std::int64_t grain = 1;
  std::int64_t run = 1;
  std::int64_t shares = 1, begin = 0, end = 1;
  bool operator==(const Slice&) const = default;
};

/// The one piece of `rank`, or one of no elements; throws Error, internal, where there are several.
Piece only_piece(const Layout& layout, int rank);
/// The part of a rank's piece that `slice` names.
Piece sliced(Piece piece, const Slice& slice);

/// Elements of `from` (restricted to `from_slice`) that belong into `to` (restricted to `to_slice`).
Schedule make_schedule(const Layout& from, const Layout& to, int rank, const Slice& from_slice = {},
                       const Slice& to_slice = {});

/// A box that goes between an array of this rank and one of `peer`.
struct PeerCopy {
  int peer = 0;
  LocalCopy boxes;
};

/// Where the elements of `target` lie in the arrays of a layout's owners, for `rank`, which reads them there. It begins
/// with its own array and goes round, so that not all read the same owner's cache at once.
std::vector<PeerCopy> gather_boxes(const Layout& from, const Piece& target, int rank);
/// Where the elements of `source` belong in the arrays of a layout's owners, for `rank`, which writes them there, in
/// the same turn.
std::vector<PeerCopy> scatter_boxes(const Piece& source, const Layout& to, int rank);

/// The elements of `part`, a subset of both pieces' index sets, from where `from` has them to where `to` has them.
LocalCopy copy_between(const Piece& from, const Piece& to, const IndexSet& part);
/// Where the elements of a piece lie.
inline Box box_of(const Piece& piece) { return copy_between(piece, piece, piece.set).from; }

/// Ranks that `rank` reaches through messages, directly or over others: the members of its exchange, ascending.
std::vector<int> exchange_group(const Layout& from, const Layout& to, int rank);

}  // namespace shardfft
