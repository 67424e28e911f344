#pragma once
// The sums of a linearity checksum: the numbers, their weights, and the loops that add them up, unless a GPU does.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack/block_sums.hpp"
#include "shardfft/types.hpp"
#include "verify/check_nest.hpp"

namespace shardfft {

/// A list of numbers in one of the two precisions; the list of the other precision is empty.
struct AnyNumbers {
  std::vector<double> in64{};
  std::vector<float> in32{};

  template <class T>
  std::vector<T>& of() {
    if constexpr (sizeof(T) == sizeof(double))
      return in64;
    else
      return in32;
  }
  template <class T>
  const std::vector<T>& of() const {
    return const_cast<AnyNumbers*>(this)->of<T>();
  }
  std::size_t table_bytes() const { return in64.size() * sizeof(double) + in32.size() * sizeof(float); }
};

/// One side of a transform, its input or its output: the loops over the array, the widest stride first.
struct CheckSide {
  std::vector<CheckLoop> loops;
  bool is_complex = true;
  Precision precision = Precision::f64;
  /// The weights of the last loop, if numbers along it are neighbours in memory: two for each number, one for its real
  /// and one for its imaginary part. Added up with them, the parts give the real part of the weighted sum.
  AnyNumbers neighbours{};

  void split_weights();
  std::size_t table_bytes() const;
};

/// The sums of each transform of a batch: the real part of its weighted sum, and the sum of squares of its numbers, or
/// a lower bound of that (CheckPart::add). Each kind has an array of its own, so that vector instructions add up
/// neighbouring transforms at once.
struct CheckSums {
  std::vector<double> real, squares;

  explicit CheckSums(std::size_t count = 0) : real(count), squares(count) {}
  void clear(std::size_t count);
  std::size_t size() const { return real.size(); }
};

/// A part of one side's array, prepared to be added up. The side must outlive it.
class CheckPart {
 public:
  /// `cuts`: the part of each loop that belongs to it, by the loop's number; none: all of the array.
  CheckPart(const CheckSide& side, const std::vector<CheckCut>& cuts);
  /// Adds the part's numbers to the sums of their transforms. `below`: also adds lower bounds of their squares.
  /// `words`: returns the word_sum() of the numbers; otherwise the result means nothing. `array` begins with the side's
  /// loops.
  std::uint32_t add(const std::byte* array, CheckSums& sums, bool below, bool words) const;
  /// Prepares add_copied() for this copy, one side of which is the part or the whole array. False if the copy's loops
  /// do not fit those of the sums, or if another copy has been prepared before.
  bool join(const LoopNest& copy, CopySide side, CopyOf what, std::size_t element_bytes);
  /// As add(), while it copies to or from the other array, which begins with the copy's loops.
  std::uint32_t add_copied(const std::byte* array, std::byte* other, RowCopy copy, CheckSums& sums, bool below,
                           bool words) const;
  /// Adds the exact squares of the part's numbers to the squares of their transforms.
  void add_squares(const std::byte* array, CheckSums& sums) const;
  std::size_t table_bytes() const {
    return nest_.table_bytes() + outer_.size() * sizeof(NestedLoop) + row_weights_.table_bytes() + sizeof *this;
  }

 private:
  /// The numbers that are added up at once: rows of neighbours with weights, columns side by side, or single numbers.
  enum class Shape { rows, columns, single };
  template <class T>
  class Walk;

  static double most_square(const NestedLoop& loop, bool of_parts);
  static bool is_real(const NestedLoop& loop);
  void arrange();
  void prepare_rows();
  template <class T>
  void weigh_rows(std::int64_t first, std::int64_t count, std::complex<double> weight, T* to) const;
  template <class T>
  void add_squares_of(const T* at, std::size_t level, std::int64_t unit, CheckSums& sums) const;

  const CheckSide* side_;
  Shape shape_ = Shape::single;
  CheckNest nest_;
  std::vector<NestedLoop> outer_;
  NestedLoop rows_, columns_;
  bool splits_rows_ = true;  ///< the weights along rows, not columns, tell the real and the imaginary part apart
  double part_ = 1;          ///< factor of the squares of blocks, because weights may be more than 1
  AnyNumbers row_weights_;   ///< two for each row, if the loops around the rows have real weights or none
};

}  // namespace shardfft
