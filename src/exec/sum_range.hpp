#pragma once
// Whether sums in the precision of the numbers are exact enough (option verify).
#include <cstdint>
#include <limits>

#include "pack/block_sums.hpp"

namespace shardfft {

/// The least and the largest of some numbers; NaN if one of them is NaN.
template <class T>
struct Range {
  T least, most;
  explicit Range(const T* list, std::int64_t count) {
    constexpr std::int64_t lanes = 8;  // which do not wait for each other
    T low[lanes], high[lanes], nothing[lanes] = {};
    for (std::int64_t l = 0; l < lanes; ++l) low[l] = high[l] = list[0];
    const auto take = [&](std::int64_t i, std::int64_t l) {
      low[l] = list[i] < low[l] ? list[i] : low[l];
      high[l] = list[i] > high[l] ? list[i] : high[l];
      nothing[l] += list[i] * T(0);
    };
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
      for (std::int64_t l = 0; l < lanes; ++l) take(i + l, l);
    for (; i < count; ++i) take(i, 0);
    least = low[0];
    most = high[0];
    for (std::int64_t l = 0; l < lanes; ++l) {
      least = (low[l] < least ? low[l] : least) + nothing[l];
      most = (high[l] > most ? high[l] : most) + nothing[l];
    }
  }
  bool within(T low, T high) const { return least > low && most < high; }
};

/// Squares of numbers in single precision easily leave the range of that precision.
template <class T>
bool in_range(const BlockSums<T>& sums, std::int64_t count) {
  if constexpr (sizeof(T) == sizeof(double)) return true;
  constexpr T all = std::numeric_limits<T>::max();
  return Range<T>(sums.sum, count).within(-all, all) &&
         (sums.below == nullptr || Range<T>(sums.below, count).within(T(1e-25), T(1e30)));
}

}  // namespace shardfft
