#pragma once
// Factors of elements that depend only on their indices.
#include <cstdint>
#include <vector>

namespace shardfft {

/// The product of exp(-2 pi i s k / n) over all pairs; s and k are the indices along two axes.
struct TwiddleFactors {
  struct Pair {
    int s_axis;
    int k_axis;
    std::int64_t n;
  };
  std::vector<Pair> pairs;
};

/// The modes k = index[k1_axis] + n1 * index[k2_axis] of a 1-D array of n numbers. Those above n/2 become zero. Of the
/// others, all but 0 and (for even n) n/2 stand for two modes and count twice.
struct HalfSpectrum {
  int k1_axis;
  int k2_axis;
  std::int64_t n1;
  std::int64_t n;
};

}  // namespace shardfft
