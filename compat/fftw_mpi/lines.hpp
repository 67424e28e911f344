#pragma once
// Real transforms of lines that this library does not have (half-complex and Hartley transforms). FFTW's serial library
// transforms whole lines on each rank; in between, arrays change their cuts.
#include "chain.hpp"
#include "distribution.hpp"

namespace shardfft::compat {

/// FFTW's kinds along some axes of a rank's part of an array, which must have these axes whole.
struct LineWork {
  Precision precision = Precision::f64;
  unsigned flags = 0;        ///< FFTW's, for the serial planner
  std::int64_t howmany = 1;  ///< real numbers at each index
  std::vector<int> axes{};
  std::vector<int> kinds{};  ///< one for each of `axes`
};

Chain::Step serial_lines(const LineWork& work, const Cut& cut, bool transposed, int rank);

}  // namespace shardfft::compat
