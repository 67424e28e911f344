#pragma once
// Cosine and sine transforms are made of Fourier transforms (local/cosine_map.hpp). These kernels do the work before
// and after the Fourier transforms, enqueued on a stream of the current device.
#include <cstdint>

#include "geometry/loop.hpp"
#include "local/cosine_map.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::device {

using namespace cosine_map;

/// A batch of real lines of n points, between the user's array and the work array. Two real lines are one complex line
/// of the work array. Strides count real numbers in the user's array and complex numbers in the work array.
struct CosineLines {
  static constexpr int most_loops = max_axes + 1;  ///< complex numbers are two real ones

  AxisTransform type = AxisTransform::dct2;
  std::int64_t n = 1;
  Loop line;  ///< its count is unused
  /// The slowest loop of the work array first; the line runs inside the first `line_at` loops.
  Loop loops[most_loops];
  int depth = 0, line_at = 0;
  /// The last loop, which counts pairs of lines. It has `lines` lines; `second` is the distance from the first line of
  /// a pair to its second one in the user's array.
  int pair_loop = 0;
  std::int64_t lines = 1, second = 0;
  double scale = 1;

  std::int64_t lines_of_all() const {
    std::int64_t product = 1;
    for (int i = 0; i < depth; ++i) product *= loops[i].count;
    return product;
  }
};

/// The place of butterfly `unit` in one pair of lines.
struct CosinePlace {
  std::int64_t unit = 0, from = 0, to = 0;
  bool pair = true;  ///< false: the pair has no second line
};

/// The i-th of all butterflies; each line has `units`.
constexpr CosinePlace locate(const CosineLines& lines, std::int64_t units, std::int64_t i) {
  CosinePlace place;
  for (int a = lines.depth; a >= 0; --a) {
    if (a == lines.line_at) {
      place.unit = i % units;
      i /= units;
    }
    if (a == 0) break;
    const Loop& loop = lines.loops[a - 1];
    const std::int64_t at = i % loop.count;
    i /= loop.count;
    place.from += at * loop.from;
    place.to += at * loop.to;
    if (a - 1 == lines.pair_loop) place.pair = 2 * at + 1 < lines.lines;
  }
  return place;
}

/// From real lines to the input of the Fourier transforms; a missing second line is zero.
void before_fourier(const void* in, void* work, const CosineLines& lines, Precision precision, void* stream);
/// From the output of the Fourier transforms, multiplied by the scale, to real lines.
void after_fourier(const void* work, void* out, const CosineLines& lines, Precision precision, void* stream);

}  // namespace shardfft::device
