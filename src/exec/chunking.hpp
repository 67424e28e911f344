#pragma once
// Along which axis a reshape and the transforms at its ends are cut in chunks. Pure geometry: all ranks choose alike.
#include <string>

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

  bool cuts() const { return parts > 1; }
  /// What the chunk's messages are restricted to. With the same parts at both ends the sender's slice says it all.
  Slice from(int k) const { return ends == ChunkEnds::receiver ? Slice{} : slice(k); }
  Slice to(int k) const { return ends == ChunkEnds::receiver ? slice(k) : Slice{}; }
  Slice slice(int k) const { return {axis, parts, k}; }
};

/// A reshape, and the transforms right before and after it; either may be null.
struct ChunkedSteps {
  const Layout& from;
  const Layout& to;
  const TransformStep* before = nullptr;
  const TransformStep* after = nullptr;
};

/// The axis along which most work of the transforms comes to lie beside messages, cut in `chunks` parts at most; of
/// equals the slowest one in memory.
/// An axis serves both ends if neither transform needs it whole and every index stays in the same part of it (a batch,
/// or the axis that pencils keep); otherwise one end is cut and the other waits for all chunks, or is done before.
Chunking choose_chunking(const ChunkedSteps& steps, int chunks);

/// "4 chunks along axis 1 at both ends"; axes count as the user's do.
std::string describe(const Chunking& chunking);

}  // namespace shardfft
