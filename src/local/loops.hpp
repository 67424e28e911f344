#pragma once
// Nested loops over strided arrays: counting, merging and walking them.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hooks.hpp"
#include "local/local_fft.hpp"

namespace shardfft {

using Loops = std::vector<Loop>;

/// Points that all loops visit together; 1 without loops.
std::int64_t points(const Loops& loops);
/// Merges loops if `continues(outer, inner)` says that the outer one goes on from the end of the inner one.
template <class Continues>
void merge_loops(std::vector<Loop>& loops, const Continues& continues) {
  const auto merge_pair = [&] {
    for (std::size_t a = 0; a < loops.size(); ++a)
      for (std::size_t b = 0; b < loops.size(); ++b) {
        if (a == b || !continues(loops[a], loops[b])) continue;
        loops[b].count *= loops[a].count;
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(a));
        return true;
      }
    return false;
  };
  while (merge_pair()) {
  }
}
/// Drops loops of one point and merges loops that continue each other on both sides; slowest input stride first.
Loops merged(Loops loops);

/// No points to transform.
bool is_empty(const FftSpec& spec);
/// All loops of a spec, transform before batch, as they run over its input (halved axis of c2r: n/2+1 points).
Loops input_loops(const FftSpec& spec);
/// The same over its output (halved axis of r2c: n/2+1 points).
Loops output_loops(const FftSpec& spec);
/// One side of the last axis has n/2+1 points.
inline bool is_halved(const FftSpec& spec) { return spec.kind == Kind::r2c || spec.kind == Kind::c2r; }
ElementType input_element(const FftSpec& spec);
ElementType output_element(const FftSpec& spec);
/// Elements from the first one that the loops touch to the last one.
std::int64_t input_extent(const Loops& loops);
std::int64_t output_extent(const Loops& loops);
/// The work of a transform: every number is read once and written once, with 5 N log2 N operations for N complex points
/// and half of that for real ones.
Work work_of(const FftSpec& spec);
/// Strides of a dense array of these loops that keeps the order in memory of the input; one a loop.
std::vector<std::int64_t> dense_strides(const Loops& loops);
/// Puts all strides of one side of a spec, transform before batch.
void set_strides(FftSpec& spec, std::int64_t Loop::*side, const std::vector<std::int64_t>& strides);

/// Advances a pointer by elements of `size` bytes.
inline const void* advance(const void* p, std::int64_t elements, std::size_t size) {
  return static_cast<const std::byte*>(p) + elements * static_cast<std::int64_t>(size);
}
inline void* advance(void* p, std::int64_t elements, std::size_t size) {
  return static_cast<std::byte*>(p) + elements * static_cast<std::int64_t>(size);
}

/// Calls visit(input offset, output offset, innermost loop) for every point of the loops around the last one.
template <class Visit>
void walk(const Loops& loops, const Visit& visit, std::size_t depth = 0, std::int64_t in = 0, std::int64_t out = 0) {
  if (depth + 1 >= loops.size()) {
    visit(in, out, loops.empty() ? Loop{} : loops.back());
    return;
  }
  const Loop& loop = loops[depth];
  for (std::int64_t i = 0; i < loop.count; ++i) walk(loops, visit, depth + 1, in + i * loop.from, out + i * loop.to);
}

}  // namespace shardfft
