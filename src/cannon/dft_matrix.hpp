#pragma once
// Blocks of the DFT matrix.
#include <complex>
#include <vector>

#include "base/aligned.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// The matrix exp(-2 pi i s t / n) (conjugated when backward); it makes any block.
class DftMatrix {
 public:
  /// `doubled`: rows 1 to (n - 1) / 2 are doubled. Row s then stands for the modes s and n - s of a real array's
  /// spectrum, and the real part of the product is the real array (backward only).
  DftMatrix(std::int64_t n, Direction direction, bool doubled);
  /// Rows x columns, row-major, dense.
  AlignedMemory block(const Progression& rows, const Progression& columns, Precision precision) const;

 private:
  template <class T>
  void fill(const Progression& rows, const Progression& columns, std::complex<T>* entry) const;

  std::int64_t n_;
  bool doubled_;
  std::vector<std::complex<double>> roots_;
};

}  // namespace shardfft
