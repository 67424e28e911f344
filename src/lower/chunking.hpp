#pragma once
// Along which axis a reshape and the transforms at its ends are cut in chunks. Pure geometry: all ranks choose alike.
#include <functional>
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

/// A reshape and the transforms next to it among `steps` of the program, from steps[at] on, that run as one task where
/// `cuts` says of them that they can be cut: how many, or 1. `steps` are those that move something; a transform between
/// two reshapes is left to the one that would otherwise have none.
int pipelined_steps(const Program& program, const std::vector<int>& steps, std::size_t at,
                    const std::function<bool(const ChunkedSteps&)>& cuts);

/// "4 chunks along axis 1 at both ends"; axes count as the user's do.
std::string describe(const Chunking& chunking);

}  // namespace shardfft
