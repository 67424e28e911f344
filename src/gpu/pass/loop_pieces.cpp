#include "gpu/pass/loop_pieces.hpp"

#include <algorithm>

namespace shardfft::gpu {

namespace {

/// A loop in near-equal runs: run `i` of [0, n) begins at n * i / runs.
struct CutLoop {
  FftDim loop;
  std::int64_t runs = 1;
  std::int64_t begin(std::int64_t run) const { return loop.n * run / runs; }
};

std::vector<CutLoop> runs_of(const Loops& loops, std::int64_t point_bytes, std::int64_t piece_bytes) {
  std::vector<CutLoop> result;
  std::int64_t inside = points(loops) * point_bytes;
  for (const FftDim& loop : loops) {
    const std::int64_t whole = inside;
    inside /= loop.n;
    const std::int64_t most = std::max<std::int64_t>(1, piece_bytes / inside);
    result.push_back({loop, whole <= piece_bytes ? 1 : (loop.n + most - 1) / most});
  }
  return result;
}

void add_pieces(std::vector<LoopPiece>& pieces, const std::vector<CutLoop>& loops, const LoopPiece& outside) {
  const std::size_t depth = outside.loops.size();
  if (depth == loops.size()) {
    pieces.push_back(outside);
    return;
  }
  const CutLoop& now = loops[depth];
  for (std::int64_t run = 0; run < now.runs; ++run) {
    LoopPiece piece = outside;
    const std::int64_t begin = now.begin(run), count = now.begin(run + 1) - begin;
    piece.in += begin * now.loop.in_stride;
    piece.out += begin * now.loop.out_stride;
    piece.begin.push_back(begin);
    piece.loops.push_back({count, now.loop.in_stride, now.loop.out_stride});
    add_pieces(pieces, loops, piece);
  }
}

}  // namespace

std::vector<LoopPiece> cut_loops(const Loops& loops, std::int64_t point_bytes, std::int64_t piece_bytes) {
  std::vector<LoopPiece> pieces;
  add_pieces(pieces, runs_of(loops, point_bytes, piece_bytes), {});
  return pieces;
}

}  // namespace shardfft::gpu
