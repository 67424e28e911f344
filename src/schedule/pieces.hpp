#pragma once
// The pieces in which a reshape and the transforms at its ends run. Pure geometry: all ranks choose alike.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// The transforms that run chunk by chunk: the one before the reshape, the one after it, or both.
enum class ChunkEnds { both, sender, receiver };

/// Chunk k is part k of `parts` near-equal runs of every rank's own indices along `axis`.
struct Chunking {
  int axis = -1;
  int parts = 1;
  ChunkEnds ends = ChunkEnds::both;
  std::int64_t grain = 1;  ///< chunks begin at multiples of this number of indices
  std::int64_t least = 1;  ///< indices of a chunk at least, on the rank with most indices

  bool cuts() const { return parts > 1; }
  Slice slice(int k) const { return {axis, parts, k, grain}; }
  std::vector<Slice> slices() const { return slices(std::vector<int>(static_cast<std::size_t>(parts), 1)); }
  /// Pieces of these sizes, instead of `parts` equal ones.
  std::vector<Slice> slices(const std::vector<int>& sizes) const;
};

/// The cuts of both ends of a reshape, each along its own axis: sizes of the pieces of the transforms before and
/// behind, in parts of their sums. Each of the first `whole` pieces before is sent whole. Of each other piece, the part
/// for the first piece behind is sent first. Then one message a further piece behind sends its part of all of them.
struct EndCuts {
  std::vector<int> before, after;
  int whole = 0;  ///< fewer than there are pieces before

  int messages() const { return static_cast<int>(before.size() + after.size()) - 1; }
  /// The share of the array in the pieces that are not sent whole.
  double divided_share() const;
};

/// A reshape, and the transforms right before and after it; either may be null.
struct ChunkedSteps {
  const Layout& from;
  const Layout& to;
  const TransformStep* before = nullptr;
  const TransformStep* after = nullptr;
};

/// The most indices along `axis` that any rank owns in one run.
std::int64_t longest_run(const Layout& layout, int axis);

/// All ways to cut in at most `chunks` parts. Those that run most work of the transforms beside messages come first; of
/// equal ones, the slowest axis in memory. An axis serves both ends if neither transform needs it whole and every index
/// stays in the same part of it (a batch, or the axis that pencils keep). Otherwise one end is cut; the other end waits
/// for all chunks, or is done before them.
std::vector<Chunking> possible_chunkings(const ChunkedSteps& steps, int chunks);

/// A reshape and the transforms at its ends, each in pieces.
struct Pieces {
  /// One message a pair of ranks: the elements of the reshape that are in both slices.
  struct Message {
    Slice from, to;
    bool operator==(const Message&) const = default;
  };
  std::vector<Slice> before, after;  ///< of the transforms: Slice{} if not cut; empty if there is no transform
  std::vector<Message> messages;
  /// Each of the first `whole` messages sends from one piece of the transform before; later ones send the rest of all.
  int whole = 0;
  /// The last piece of the transform behind needs so many messages more than each other piece after the first.
  int split = 0;
  /// The transform before the reshape stores its results at their destinations, also in other ranks' arrays. The only
  /// message then signals that they are there.
  bool stores = false;
  std::string text;  ///< "8 chunks, 4 along axis 0 at the sender and 4 along axis 1 at the receiver"

  int befores() const { return static_cast<int>(before.size()); }
  int moves() const { return static_cast<int>(messages.size()); }
  int afters() const { return static_cast<int>(after.size()); }
  /// The last piece of the transform before that a message sends from, and the last message that a piece of the
  /// transform after needs.
  int last_piece_of(int message) const { return message < whole ? message : befores() - 1; }
  int last_message_of(int piece) const {
    return piece + 1 == afters() ? moves() - 1 : moves() - split - afters() + piece;
  }
  /// Like EndCuts::divided_share(), for near-equal pieces.
  double divided_share() const { return static_cast<double>(befores() - whole) / befores(); }
  bool operator==(const Pieces& other) const {
    return before == other.before && after == other.after && messages == other.messages && whole == other.whole &&
           split == other.split && stores == other.stores;
  }
};

/// Cuts along one axis.
Pieces in_pieces(const ChunkedSteps& steps, const Chunking& chunking);
/// Cuts each end along its own axis: `whole` messages (fewer than the sender's pieces) by the sender's pieces, the
/// others by the receiver's. Then all but the first and the last piece of a transform have messages beside them. The
/// target chooses `whole`: the messages that are sent while the first transform runs.
Pieces in_pieces(const Chunking& sender, Chunking receiver, int whole);
Pieces in_pieces(const Chunking& sender, const Chunking& receiver, const EndCuts& cuts);
/// Cuts in the first possible way; there must be one. If that serves only one of two transforms, and the other end can
/// be cut too, cuts each end along its own axis, with the first half of the messages at the sender.
Pieces in_pieces(const ChunkedSteps& steps, int chunks);

/// The number of steps from steps[at] on that run as one task: a reshape and the transforms next to it, if `cuts` says
/// that they can be cut; else 1. `steps` are the steps that move something. A transform between two reshapes goes to
/// the one that would otherwise have none.
int pipelined_steps(const Program& program, const std::vector<int>& steps, std::size_t at,
                    const std::function<bool(const ChunkedSteps&)>& cuts);

/// "4 chunks along axis 1 at both ends"; axes are numbered as the user's are.
std::string describe(const Chunking& chunking);

}  // namespace shardfft
