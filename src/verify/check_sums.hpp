#pragma once
// The sums of a linearity checksum: what is added up with which weights, by loops here or by a GPU.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack/block_sums.hpp"
#include "shardfft/types.hpp"
#include "verify/check_nest.hpp"

namespace shardfft {

/// Numbers of either precision; those of the other one are none.
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

/// One side of the transform: the loops over its array, the widest stride first.
struct CheckSide {
  std::vector<CheckLoop> loops;
  bool is_complex = true;
  Precision precision = Precision::f64;
  /// Of the last loop, where numbers along it are neighbours and have weights: what their parts give to the real part
  /// of their sum.
  AnyNumbers neighbours{};

  void split_weights();
  std::size_t table_bytes() const;
};

/// By transform of the batch; apart, so that neighbours are added at once: the real parts of weighted sums, and
/// squares, which may be less than the sums of squares (CheckPart::add), or these.
struct CheckSums {
  std::vector<double> real, squares;

  explicit CheckSums(std::size_t count = 0) : real(count), squares(count) {}
  void clear(std::size_t count);
  std::size_t size() const { return real.size(); }
};

/// A part of one side's array, prepared to be added up; the side lives as long.
class CheckPart {
 public:
  /// `cuts`: one a loop, by its number; none: all of the array.
  CheckPart(const CheckSide& side, const std::vector<CheckCut>& cuts);
  /// Adds to the transforms' sums, and with `below` to their squares what these are at least. Returns the word_sum() of
  /// the numbers, or with `words` false anything. `array` begins where the side's loops do.
  std::uint32_t add(const std::byte* array, CheckSums& sums, bool below, bool words) const;
  /// Before copies: of this copy, one side of which is the array or the part of it. False where add() cannot make it,
  /// or makes another one.
  bool join(const LoopNest& copy, CopySide side, CopyOf what, std::size_t element_bytes);
  /// Adds as above while it copies to or from the other array, which begins where the copy's loops do.
  std::uint32_t add_copied(const std::byte* array, std::byte* other, RowCopy copy, CheckSums& sums, bool below,
                           bool words) const;
  /// Adds to the transforms' squares, exactly.
  void add_squares(const std::byte* array, CheckSums& sums) const;
  std::size_t table_bytes() const {
    return nest_.table_bytes() + outer_.size() * sizeof(NestedLoop) + row_weights_.table_bytes() + sizeof *this;
  }

 private:
  /// What is added up at once: rows of neighbours with weights, columns of them, single numbers.
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
  bool splits_rows_ = true;  ///< the parts of numbers get their weights from rows, not from columns
  double part_ = 1;          ///< of what blocks say of squares: their weights may be more than 1
  AnyNumbers row_weights_;   ///< of all rows, where the loops around them have real weights or none: two a row
};

}  // namespace shardfft
