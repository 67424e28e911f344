#pragma once
// In which pieces a reshape and the transforms at its ends run. Pure geometry: all ranks choose alike.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// Which transforms run chunk by chunk: the one before the reshape, the one after it, or both.
enum class ChunkEnds { both, sender, receiver };

/// Chunk k is part k of `parts` near-equal runs of every rank's own indices along `axis`.
struct Chunking {
  int axis = -1;
  int parts = 1;
  ChunkEnds ends = ChunkEnds::both;
  std::int64_t grain = 1;  ///< chunks begin at multiples of so many indices
  std::int64_t least = 1;  ///< and have so many where a rank has the most

  bool cuts() const { return parts > 1; }
  Slice slice(int k) const { return {axis, parts, k, grain}; }
  std::vector<Slice> slices() const { return slices(std::vector<int>(static_cast<std::size_t>(parts), 1)); }
  /// Pieces of these sizes instead of `parts` equal ones.
  std::vector<Slice> slices(const std::vector<int>& sizes) const;
};

/// How both ends of a reshape are cut, each along an axis of its own: the sizes of the pieces of the transforms before
/// and behind, in parts of their sums. The first `whole` pieces before it are sent as they are; of every other one at
/// first what the first piece behind takes, and when all are there, what the next pieces take of all of them.
struct EndCuts {
  std::vector<int> before, after;
  int whole = 0;  ///< fewer than there are pieces before

  int messages() const { return static_cast<int>(before.size() + after.size()) - 1; }
  /// The share of all that is sent that pieces of the transform before have which are not sent as they are.
  double rest() const;
};

/// A reshape, and the transforms right before and after it; either may be null.
struct ChunkedSteps {
  const Layout& from;
  const Layout& to;
  const TransformStep* before = nullptr;
  const TransformStep* after = nullptr;
};

/// Most indices along `axis` that any rank owns in one run.
std::int64_t longest_run(const Layout& layout, int axis);

/// All ways to cut in `chunks` parts at most, those first that bring most work of the transforms beside messages; of
/// equals the slowest axis in memory.
/// An axis serves both ends if neither transform needs it whole and every index stays in the same part of it (a batch,
/// or the axis that pencils keep); otherwise one end is cut and the other waits for all chunks, or is done before.
std::vector<Chunking> possible_chunkings(const ChunkedSteps& steps, int chunks);

/// A reshape and the transforms at its ends, each in pieces.
struct Pieces {
  /// One message a pair of ranks: of the reshape, what is in both.
  struct Message {
    Slice from, to;
    bool operator==(const Message&) const = default;
  };
  std::vector<Slice> before, after;  ///< of the transforms: Slice{} for all of one, none where there is none
  std::vector<Message> messages;
  /// So many messages send of one piece of the transform before each, the others what is left of all of them.
  int head = 0;
  /// The last piece of the transform behind takes so many messages more than each of the others behind the first one.
  int split = 0;
  /// The transform before the reshape is to store what it makes where the reshape leads, in the arrays of others too:
  /// the only message then tells when it is there.
  bool stores = false;
  std::string text;  ///< "8 chunks, 4 along axis 0 at the sender and 4 along axis 1 at the receiver"

  int befores() const { return static_cast<int>(before.size()); }
  int moves() const { return static_cast<int>(messages.size()); }
  int afters() const { return static_cast<int>(after.size()); }
  /// The last piece of the transform before that a message sends, and the last message that a piece of the transform
  /// after takes.
  int sends(int message) const { return message < head ? message : befores() - 1; }
  int takes(int piece) const { return piece + 1 == afters() ? moves() - 1 : moves() - split - afters() + piece; }
  /// As that of EndCuts, of near-equal pieces.
  double rest() const { return static_cast<double>(befores() - head) / befores(); }
  bool operator==(const Pieces& other) const {
    return before == other.before && after == other.after && messages == other.messages && head == other.head &&
           split == other.split && stores == other.stores;
  }
};

/// Cut along one axis.
Pieces in_pieces(const ChunkedSteps& steps, const Chunking& chunking);
/// Each end cut along an axis of its own: `head` messages, fewer than the sender has pieces, at the sender
/// and the others at the receiver, so that nothing but the first and the last piece of a transform has no messages
/// beside it. A target says how many: those that are sent while the first transform runs.
Pieces in_pieces(const Chunking& sender, Chunking receiver, int head);
Pieces in_pieces(const Chunking& sender, const Chunking& receiver, const EndCuts& cuts);
/// Cut in the first possible way, which there must be. Where that serves one of two transforms only, and the other end
/// can be cut too, each end is cut along an axis of its own, the first half of the messages at the sender.
Pieces in_pieces(const ChunkedSteps& steps, int chunks);

/// A reshape and the transforms next to it among `steps` of the program, from steps[at] on, that run as one task where
/// `cuts` says of them that they can be cut: how many, or 1. `steps` are those that move something; a transform between
/// two reshapes is left to the one that would otherwise have none.
int pipelined_steps(const Program& program, const std::vector<int>& steps, std::size_t at,
                    const std::function<bool(const ChunkedSteps&)>& cuts);

/// "4 chunks along axis 1 at both ends"; axes count as the user's do.
std::string describe(const Chunking& chunking);

}  // namespace shardfft
