#pragma once
// The sums of a linearity checksum: what is added up with which weights, by loops here or by a GPU.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// One loop over an array: along a transformed axis, with weights, or over the transforms of a batch.
struct CheckLoop {
  std::int64_t n;
  std::int64_t stride;                       ///< elements
  std::int64_t unit_stride;                  ///< transforms; 0 along a transformed axis
  std::size_t loop;                          ///< its number: loops of the transform, then those of the batch
  std::vector<std::complex<double>> weight;  ///< along a transformed axis
};

/// What the parts of numbers give to the parts of their weighted sum: of neighbours one behind the other, of rows in
/// pairs.
template <class T>
struct PartWeights {
  std::vector<T> to_real, to_imag;
};
/// For arrays of either precision; those of the other one are empty.
struct AnyPartWeights {
  PartWeights<double> in64{};
  PartWeights<float> in32{};

  template <class T>
  PartWeights<T>& of() {
    if constexpr (sizeof(T) == sizeof(double))
      return in64;
    else
      return in32;
  }
  template <class T>
  const PartWeights<T>& of() const {
    return const_cast<AnyPartWeights*>(this)->of<T>();
  }
  std::size_t table_bytes() const {
    return 2 * in64.to_real.size() * sizeof(double) + 2 * in32.to_real.size() * sizeof(float);
  }
};

/// One side of the transform: the loops over its array, the widest stride first.
struct CheckSide {
  std::vector<CheckLoop> loops;
  bool is_complex = true;
  bool real_sums = false;  ///< nobody looks at the imaginary parts of sums
  Precision precision = Precision::f64;
  /// Of the last loop, where numbers along it are neighbours and have weights.
  AnyPartWeights neighbours{};

  void split_weights();
  std::size_t table_bytes() const;
};

/// By transform of the batch; apart, so that neighbours are added at once. Squares may be less than the sums of squares
/// (CheckPart::add), or these.
struct CheckSums {
  std::vector<double> real, imag, squares;

  explicit CheckSums(std::size_t count = 0) : real(count), imag(count), squares(count) {}
  void clear(std::size_t count);
  std::size_t size() const { return real.size(); }
  std::complex<double> weighted(std::size_t unit) const { return {real[unit], imag[unit]}; }
};

/// The numbers begin, begin + step, ... of a loop.
struct CheckCut {
  std::int64_t begin, count, step;
};

/// A part of one side's array, prepared to be added up; the side lives as long.
class CheckPart {
 public:
  /// `cuts`: one a loop, by its number; none: all of the array.
  CheckPart(const CheckSide& side, const std::vector<CheckCut>& cuts);
  /// Adds to the transforms' sums, and with `below` to their squares what these are at least. Returns the word_sum() of
  /// the numbers, or with `words` false anything. `array` begins where the side's loops do.
  std::uint32_t add(const std::byte* array, CheckSums& sums, bool below, bool words) const;
  /// Adds to the transforms' squares, exactly.
  void add_squares(const std::byte* array, CheckSums& sums) const;
  std::size_t table_bytes() const { return outer_.size() * sizeof(Nested) + row_weights_.table_bytes() + sizeof *this; }

 private:
  struct Nested {
    std::int64_t count = 1;
    std::int64_t stride = 0;
    std::int64_t unit_stride = 0;
    const std::complex<double>* weight = nullptr;  ///< one in `weight_step`; null along a batch
    std::int64_t weight_step = 1;
  };
  /// What is added up at once: rows of neighbours with weights, columns of them, single numbers.
  enum class Shape { rows, columns, single };
  template <class T>
  class Walk;

  static Nested cut(const CheckLoop& loop, const CheckCut& cut);
  static std::complex<double> weight_of(const Nested& loop, std::int64_t i) {
    return loop.weight == nullptr ? 1 : loop.weight[i * loop.weight_step];
  }
  static double most_square(const Nested& loop, bool of_parts);
  static bool has_imag(const Nested& loop);
  void prepare_rows();
  /// Weights of a row: of columns one for each part of a number.
  std::int64_t row_parts() const { return shape_ == Shape::columns ? 2 : 1; }
  template <class T>
  void weigh_rows(std::int64_t first, std::int64_t count, std::complex<double> weight, T* to_real, T* to_imag) const;
  template <class T>
  void add_squares_of(const T* at, std::size_t level, std::int64_t unit, CheckSums& sums) const;

  const CheckSide* side_;
  Shape shape_ = Shape::single;
  std::vector<Nested> outer_;
  Nested rows_, columns_;
  std::int64_t first_ = 0;         ///< element
  std::int64_t first_unit_ = 0;    ///< transform
  std::int64_t first_weight_ = 0;  ///< of the neighbours
  bool imag_ = true;               ///< the imaginary parts of sums are needed
  double part_ = 1;                ///< of what blocks say of squares: their weights may be more than 1
  AnyPartWeights row_weights_;     ///< of all rows, where no loop around them has weights
};

}  // namespace shardfft
