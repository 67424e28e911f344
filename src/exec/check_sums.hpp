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

/// What the parts of neighbouring numbers give to the parts of their weighted sum.
template <class T>
struct NeighbourWeights {
  std::vector<T> to_real, to_imag;
};

/// One side of the transform: the loops over its array, the widest stride first.
struct CheckSide {
  std::vector<CheckLoop> loops;
  bool is_complex = true;
  Precision precision = Precision::f64;
  /// Of the last loop, for the side's own precision, where numbers along it are neighbours and have weights.
  NeighbourWeights<double> neighbours64{};
  NeighbourWeights<float> neighbours32{};

  void split_weights();
  std::size_t table_bytes() const;
};

/// By transform of the batch; apart, so that neighbours are added at once.
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
  /// Adds to the transforms' sums, and returns their word_sum(). `array` begins where the side's
  /// loops do.
  std::uint32_t add(const std::byte* array, CheckSums& sums, bool squares) const;
  std::size_t table_bytes() const { return outer_.size() * sizeof(Nested) + sizeof *this; }

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

  const CheckSide* side_;
  Shape shape_ = Shape::single;
  std::vector<Nested> outer_;
  Nested rows_, columns_;
  std::int64_t first_ = 0;         ///< element
  std::int64_t first_unit_ = 0;    ///< transform
  std::int64_t first_weight_ = 0;  ///< of the neighbours
};

}  // namespace shardfft
