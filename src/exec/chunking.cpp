#include "exec/chunking.hpp"

#include <algorithm>

namespace shardfft {

namespace {

bool transforms(const TransformStep* fft, int axis) { return fft != nullptr && fft->has(axis); }

/// Every index along `axis` is in the same part of it before and after.
bool keeps_parts(const Layout& from, const Layout& to, int axis) {
  if (from.axis_is_local(axis) && to.axis_is_local(axis)) return true;
  return from.is_grid() && to.is_grid() && from.parts(axis) == to.parts(axis);
}

/// Most indices along `axis` that any rank owns in one run.
std::int64_t longest_run(const Layout& layout, int axis) {
  std::int64_t longest = 0;
  if (layout.is_grid()) {
    for (const Progression& p : layout.parts(axis)) longest = std::max(longest, p.count);
    return longest;
  }
  for (int r = 0; r < layout.ranks(); ++r)
    for (const Piece& p : layout.pieces(r))
      if (!p.set.empty()) longest = std::max(longest, p.set.axis[static_cast<std::size_t>(axis)].count);
  return longest;
}

/// Axes whose transforms run chunk by chunk when `axis` is cut at these ends; 0 if it cannot be.
std::size_t overlapped_transforms(const ChunkedSteps& steps, int axis, ChunkEnds ends) {
  const bool before = steps.before != nullptr && ends != ChunkEnds::receiver;
  const bool after = steps.after != nullptr && ends != ChunkEnds::sender;
  if (before && transforms(steps.before, axis)) return 0;
  if (after && transforms(steps.after, axis)) return 0;
  if (ends == ChunkEnds::both && !(before && after && keeps_parts(steps.from, steps.to, axis))) return 0;
  return (before ? steps.before->axes.size() : 0) + (after ? steps.after->axes.size() : 0);
}

}  // namespace

Chunking choose_chunking(const ChunkedSteps& steps, int chunks) {
  Chunking best;
  double best_share = 0;
  for (const ChunkEnds ends : {ChunkEnds::both, ChunkEnds::sender, ChunkEnds::receiver}) {
    const Layout& layout = ends == ChunkEnds::receiver ? steps.to : steps.from;
    for (const int axis : layout.order()) {
      const auto axes_cut = static_cast<double>(overlapped_transforms(steps, axis, ends));
      if (axes_cut == 0) continue;
      const std::int64_t parts = std::min<std::int64_t>(chunks, longest_run(layout, axis));
      if (parts < 2) continue;
      const double share = axes_cut * (1 - 1 / static_cast<double>(parts));  // one chunk has nothing to hide behind
      if (share <= best_share) continue;
      best = {axis, static_cast<int>(parts), ends};
      best_share = share;
    }
  }
  return best;
}

std::string describe(const Chunking& chunking) {
  static const char* const ends[] = {"at both ends", "at the sender", "at the receiver"};
  const std::string axis = chunking.axis == 0 ? "the batch" : "axis " + std::to_string(chunking.axis - 1);
  return std::to_string(chunking.parts) + " chunks along " + axis + " " + ends[static_cast<int>(chunking.ends)];
}

}  // namespace shardfft
