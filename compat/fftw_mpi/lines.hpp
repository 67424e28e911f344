#pragma once
// Real transforms of lines that this library has no word for (half-complex and Hartley transforms): FFTW's serial
// library makes them of whole lines on each rank, and between them arrays change their cuts.
#include "chain.hpp"
#include "distribution.hpp"

namespace shardfft::compat {

/// FFTW's kinds along some axes of a rank's part of an array, which must be whole there.
struct LineWork {
  Precision precision = Precision::f64;
  unsigned flags = 0;        ///< FFTW's, for the serial planner
  std::int64_t howmany = 1;  ///< real numbers at each index
  std::vector<int> axes{};
  std::vector<int> kinds{};  ///< one for each of the axes
};

Chain::Step serial_lines(const LineWork& work, const Cut& cut, bool transposed, int rank);

}  // namespace shardfft::compat
