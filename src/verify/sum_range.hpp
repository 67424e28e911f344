#pragma once
// Whether sums in the precision of the numbers are exact enough (option verify).
#include <cstdint>
#include <limits>

#include "pack/block_sums.hpp"
#include "pack/sum_vectors.hpp"

namespace shardfft {

/// The least and the largest of some numbers that are not 0; if one of them is NaN, no bounds hold.
template <class T>
class Range {
 public:
  void add(const T* list, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      V v;
      kernel::load_vector<T, vector_bytes>(v, list + i);
      take(v);
    }
    for (; i < count; ++i) take(V{} + list[i]);
  }
  bool within(T low, T high) const {
    bool all = true;
    for (std::int64_t l = 0; l < lanes; ++l)
      all = all && least_[l] + nothing_[l] > low && most_[l] + nothing_[l] < high;
    return all;
  }

 private:
  static constexpr int vector_bytes = 16;
  static constexpr std::int64_t lanes = kernel::lanes<T, vector_bytes>;
  using V = kernel::Vector<T, vector_bytes>;

  void take(const V& v) {
    const V other = v == 0 ? V{} + 1 : v;
    least_ = other < least_ ? other : least_;
    most_ = v > most_ ? v : most_;
    nothing_ += v * 0;
  }

  V least_ = V{} + 1, most_ = {}, nothing_ = {};
};

/// Squares of numbers in single precision easily leave the range of that precision. A sum of them that is 0 is less
/// than the right one, as `below` must be.
template <class T>
bool in_range(const BlockSums<T>& sums, std::int64_t count) {
  if constexpr (sizeof(T) == sizeof(double)) return true;
  constexpr T all = std::numeric_limits<T>::max();
  Range<T> of_sums, below;
  of_sums.add(sums.sum, count);
  if (sums.below != nullptr) below.add(sums.below, count);
  return of_sums.within(-all, all) && below.within(T(1e-25), T(1e30));
}

}  // namespace shardfft
