#include "gpu/pass/loop_pieces.hpp"

#include <algorithm>
#include <utility>

namespace shardfft::gpu {

namespace {

/// The number of near-equal runs that each loop is cut in: run `i` of `runs` in [0, n) begins at n * i / runs.
std::vector<std::int64_t> runs_of(const Loops& loops, std::int64_t point_bytes, std::int64_t piece_bytes) {
  std::vector<std::int64_t> runs;
  std::int64_t inside = points(loops) * point_bytes;
  for (const Loop& loop : loops) {
    const std::int64_t whole = inside;
    inside /= loop.count;
    const std::int64_t most = std::max<std::int64_t>(1, piece_bytes / inside);
    runs.push_back(whole <= piece_bytes ? 1 : (loop.count + most - 1) / most);
  }
  return runs;
}

}  // namespace

std::vector<LoopPiece> cut_loops(const Loops& loops, std::int64_t point_bytes, std::int64_t piece_bytes) {
  std::vector<LoopPiece> pieces(1);
  const std::vector<std::int64_t> runs = runs_of(loops, point_bytes, piece_bytes);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    std::vector<LoopPiece> cut;
    for (const LoopPiece& outside : pieces)
      for (std::int64_t run = 0; run < runs[i]; ++run) {
        const std::int64_t begin = loops[i].count * run / runs[i], end = loops[i].count * (run + 1) / runs[i];
        LoopPiece& piece = cut.emplace_back(outside);
        piece.in += begin * loops[i].from;
        piece.out += begin * loops[i].to;
        piece.begin.push_back(begin);
        piece.loops.push_back({end - begin, loops[i].from, loops[i].to});
      }
    pieces = std::move(cut);
  }
  return pieces;
}

}  // namespace shardfft::gpu
