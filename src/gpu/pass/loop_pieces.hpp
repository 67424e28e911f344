#pragma once
// Cuts batches in pieces, which bounds the memory that a pass needs beside its arrays.
#include <vector>

#include "local/loops.hpp"

namespace shardfft::gpu {

/// Some points of every loop. `in` and `out`: its offsets on both sides, in elements.
struct LoopPiece {
  std::int64_t in = 0, out = 0;
  std::vector<std::int64_t> begin;  ///< the first point of each loop
  Loops loops;
};

/// Near-equal pieces of at most `piece_bytes` bytes, or of one point; a point of all loops is `point_bytes`. Outer
/// loops are cut first, down to single points, so that runs of neighbours stay long.
std::vector<LoopPiece> cut_loops(const Loops& loops, std::int64_t point_bytes, std::int64_t piece_bytes);

}  // namespace shardfft::gpu
