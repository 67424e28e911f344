#pragma once
// Along which axis a reshape and the transforms at its ends are cut in chunks. Pure geometry: all ranks choose alike.
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

  bool cuts() const { return parts > 1; }
  /// What the chunk's messages are restricted to. With the same parts at both ends the sender's slice says it all.
  Slice from(int k) const { return ends == ChunkEnds::receiver ? Slice{} : slice(k); }
  Slice to(int k) const { return ends == ChunkEnds::receiver ? slice(k) : Slice{}; }
  Slice slice(int k) const { return {axis, parts, k, grain}; }
};

/// A reshape whose first messages are cut at the sender, and the others at the receiver: nothing but the first and the
/// last chunk of a transform has no messages beside it, though no axis serves both ends.
struct TwoChunkings {
  Chunking sender;    ///< of the whole transform before; its first `head` chunks are messages of their own
  Chunking receiver;  ///< of the whole transform after, and of what the others of the sender's chunks are sent in
  int head = 0;

  int messages() const { return head + receiver.parts; }
  /// What message k is restricted to.
  Slice from(int k) const;
  Slice to(int k) const { return k < head ? Slice{} : receiver.slice(k - head); }
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
/// The first of them, or one that cuts nothing.
Chunking choose_chunking(const ChunkedSteps& steps, int chunks);

/// Where the first of them serves one of two transforms only, and the other end can be cut too: half of the messages
/// for each end, `chunks` in all at most.
std::optional<TwoChunkings> choose_two_chunkings(const ChunkedSteps& steps, int chunks);

/// A reshape and the transforms next to it among `steps` of the program, from steps[at] on, that run as one task where
/// `cuts` says of them that they can be cut: how many, or 1. `steps` are those that move something; a transform between
/// two reshapes is left to the one that would otherwise have none.
int pipelined_steps(const Program& program, const std::vector<int>& steps, std::size_t at,
                    const std::function<bool(const ChunkedSteps&)>& cuts);

/// "4 chunks along axis 1 at both ends"; axes count as the user's do.
std::string describe(const Chunking& chunking);
/// "8 chunks, 4 along axis 0 at the sender and 4 along axis 1 at the receiver".
std::string describe(const TwoChunkings& chunkings);

}  // namespace shardfft
