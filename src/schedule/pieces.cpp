#include "schedule/pieces.hpp"

#include <algorithm>
#include <numeric>

namespace shardfft {

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

namespace {

bool transforms(const TransformStep* fft, int axis) { return fft != nullptr && fft->has(axis); }

/// Whether every index along `axis` is in the same part of it before and after.
bool keeps_parts(const Layout& from, const Layout& to, int axis) {
  if (from.axis_is_local(axis) && to.axis_is_local(axis)) return true;
  return from.is_grid() && to.is_grid() && from.parts(axis) == to.parts(axis);
}

/// The number of axes whose transforms run chunk by chunk if `axis` is cut at these ends; 0 if it cannot be cut.
std::size_t overlapped_transforms(const ChunkedSteps& steps, int axis, ChunkEnds ends) {
  const bool before = steps.before != nullptr && ends != ChunkEnds::receiver;
  const bool after = steps.after != nullptr && ends != ChunkEnds::sender;
  if (before && transforms(steps.before, axis)) return 0;
  if (after && transforms(steps.after, axis)) return 0;
  if (ends == ChunkEnds::both && !(before && after && keeps_parts(steps.from, steps.to, axis))) return 0;
  return (before ? steps.before->axes.size() : 0) + (after ? steps.after->axes.size() : 0);
}

/// Walks over the steps that move something. Two steps with a view in between have different axes and cannot be joined.
class Steps {
 public:
  Steps(const Program& program, const std::vector<int>& steps) : program_(program), steps_(steps) {}
  const TransformStep* transform(std::size_t i) const { return step<TransformStep>(i); }
  bool is_reshape(std::size_t i) const { return step<ReshapeStep>(i) != nullptr; }
  bool joins_next(std::size_t i) const { return i + 1 < steps_.size() && steps_[i] + 1 == steps_[i + 1]; }
  /// Whether a reshape behind needs the transform `i`, because it would otherwise have none.
  bool wanted_by_next(std::size_t i) const {
    for (std::size_t reshape = i + 1; joins_next(reshape - 1) && is_reshape(reshape); reshape += 2)
      if (!joins_next(reshape) || transform(reshape + 1) == nullptr) return true;
    return false;
  }

 private:
  template <class S>
  const S* step(std::size_t i) const {
    return i < steps_.size() ? std::get_if<S>(&program_.steps[static_cast<std::size_t>(steps_[i])]) : nullptr;
  }

  const Program& program_;
  const std::vector<int>& steps_;
};

}  // namespace

std::vector<Chunking> possible_chunkings(const ChunkedSteps& steps, int chunks) {
  std::vector<std::pair<double, Chunking>> found;
  for (const ChunkEnds ends : {ChunkEnds::both, ChunkEnds::sender, ChunkEnds::receiver}) {
    const Layout& layout = ends == ChunkEnds::receiver ? steps.to : steps.from;
    for (const int axis : layout.order()) {
      const auto axes_cut = static_cast<double>(overlapped_transforms(steps, axis, ends));
      const std::int64_t parts = std::min<std::int64_t>(chunks, longest_run(layout, axis));
      if (axes_cut == 0 || parts < 2) continue;
      // One chunk overlaps with nothing.
      found.push_back({axes_cut * (1 - 1 / static_cast<double>(parts)), {axis, static_cast<int>(parts), ends, 1}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Chunking> all;
  for (const auto& [share, chunking] : found) all.push_back(chunking);
  return all;
}

namespace {

std::string axis_of(const Chunking& chunking) {
  if (chunking.axis == 0) return "the batch";
  std::string text = "axis ";
  return text += std::to_string(chunking.axis - 1);
}

}  // namespace

std::string describe(const Chunking& chunking) {
  static const char* const ends[] = {"at both ends", "at the sender", "at the receiver"};
  return std::to_string(chunking.parts) + " chunks along " + axis_of(chunking) + " " +
         ends[static_cast<int>(chunking.ends)];
}

std::vector<Slice> Chunking::slices(const std::vector<int>& sizes) const {
  std::vector<Slice> all;
  const int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
  for (int begin = 0; const int size : sizes) {
    all.push_back({axis, sum, begin, grain, size});
    begin += size;
  }
  return all;
}

Pieces in_pieces(const ChunkedSteps& steps, const Chunking& chunking) {
  const bool at_receiver = chunking.ends == ChunkEnds::receiver, at_sender = chunking.ends == ChunkEnds::sender;
  Pieces pieces;
  if (steps.before != nullptr) pieces.before.resize(at_receiver ? 1 : static_cast<std::size_t>(chunking.parts));
  if (steps.after != nullptr) pieces.after.resize(at_sender ? 1 : static_cast<std::size_t>(chunking.parts));
  for (int k = 0; k < chunking.parts; ++k) {
    const Slice slice = chunking.slice(k);
    // If both ends have the same parts, the sender's slice is enough.
    pieces.messages.push_back({at_receiver ? Slice{} : slice, at_receiver ? slice : Slice{}});
    if (steps.before != nullptr && !at_receiver) pieces.before[static_cast<std::size_t>(k)] = slice;
    if (steps.after != nullptr && !at_sender) pieces.after[static_cast<std::size_t>(k)] = slice;
  }
  if (!at_receiver) pieces.whole = chunking.parts;
  pieces.text = describe(chunking);
  return pieces;
}

Pieces in_pieces(const ChunkedSteps& steps, int chunks) {
  const std::vector<Chunking> possible = possible_chunkings(steps, chunks);
  const auto first_of = [&](ChunkEnds ends) {
    return std::find_if(possible.begin(), possible.end(), [ends](const Chunking& c) { return c.ends == ends; });
  };
  const auto sender = first_of(ChunkEnds::sender), receiver = first_of(ChunkEnds::receiver);
  const bool two = steps.before != nullptr && steps.after != nullptr && sender != possible.end() &&
                   receiver != possible.end() && possible.front().ends != ChunkEnds::both;
  return two ? in_pieces(*sender, *receiver, sender->parts / 2) : in_pieces(steps, possible.at(0));
}

Pieces in_pieces(const Chunking& sender, Chunking receiver, int whole) {
  Pieces pieces;
  pieces.whole = whole;
  receiver.parts = std::min(receiver.parts, sender.parts - whole);
  for (int k = 0; k < sender.parts; ++k) pieces.before.push_back(sender.slice(k));
  for (int k = 0; k < receiver.parts; ++k) pieces.after.push_back(receiver.slice(k));
  for (int k = 0; k < whole; ++k) pieces.messages.push_back({sender.slice(k), {}});
  Slice later = sender.slice(whole);
  later.run = sender.parts - whole;
  for (const Slice& slice : pieces.after) pieces.messages.push_back({later, slice});
  pieces.text = std::to_string(pieces.moves()) + " chunks, " + std::to_string(whole) + " along " + axis_of(sender) +
                " at the sender and " + std::to_string(receiver.parts) + " along " + axis_of(receiver) +
                " at the receiver";
  return pieces;
}

namespace {

/// "1:2:4 along axis 0".
std::string sizes_along(const Chunking& chunking, const std::vector<int>& sizes) {
  std::string text;
  for (const int size : sizes) {
    if (!text.empty()) text += ':';
    text += std::to_string(size);
  }
  return text + " along " + axis_of(chunking);
}

}  // namespace

Pieces in_pieces(const Chunking& sender, const Chunking& receiver, const EndCuts& cuts) {
  Pieces pieces;
  pieces.before = sender.slices(cuts.before);
  pieces.after = receiver.slices(cuts.after);
  pieces.whole = pieces.befores();
  for (int k = 0; k < pieces.whole; ++k)
    pieces.messages.push_back({pieces.before[static_cast<std::size_t>(k)], k < cuts.whole ? Slice{} : pieces.after[0]});
  Slice later = pieces.before[static_cast<std::size_t>(cuts.whole)];
  later.run = later.parts - later.index;
  for (std::size_t p = 1; p < pieces.after.size(); ++p) pieces.messages.push_back({later, pieces.after[p]});
  pieces.text = std::to_string(pieces.moves()) + " chunks, " + sizes_along(sender, cuts.before) +
                " at the sender and " + sizes_along(receiver, cuts.after) + " at the receiver";
  if (cuts.whole > 0) pieces.text += ", the first " + std::to_string(cuts.whole) + " whole";
  return pieces;
}

int pipelined_steps(const Program& program, const std::vector<int>& steps, std::size_t at,
                    const std::function<bool(const ChunkedSteps&)>& cuts) {
  const Steps walk(program, steps);
  const bool first = walk.transform(at) != nullptr;
  const std::size_t reshape = first ? at + 1 : at;
  if (!walk.is_reshape(reshape) || (first && !walk.joins_next(at))) return 1;
  const TransformStep* const before = first ? walk.transform(at) : nullptr;
  const TransformStep* const after =
      walk.joins_next(reshape) && !(first && walk.wanted_by_next(reshape + 1)) ? walk.transform(reshape + 1) : nullptr;
  const auto at_reshape = static_cast<std::size_t>(steps[reshape]);
  const Layout &from = program.states[at_reshape].layout, &to = program.states[at_reshape + 1].layout;
  const int least = before != nullptr ? 2 : 1;
  if (after != nullptr && cuts({from, to, before, after})) return least + 1;
  return before != nullptr && cuts({from, to, before, nullptr}) ? least : 1;
}

}  // namespace shardfft
