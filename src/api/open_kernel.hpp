#pragma once
// Green's functions of free space, as factors of spectra of axes that are padded to twice their points.
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/communicator.hpp"
#include "shardfft/poisson.hpp"
#include "shardfft/side.hpp"

namespace shardfft {

/// One open axis of `n` points, `step` apart: the factors of the modes m = 0 to n, of 2 n points; the other axes and
/// the shift have -`square` together.
void line_kernel(OpenKernel kind, std::int64_t n, double step, double square, double* factors);

/// Several open axes. All except the line axis are padded axes of `spectrum`.
struct OpenAxes {
  OpenKernel kind;
  int line = 0;                              ///< the one that is not transformed
  std::vector<int> axes;                     ///< all of them
  Shape points;                              ///< of all axes of the array
  std::vector<double> steps;                 ///< of all axes
  std::vector<std::vector<double>> squares;  ///< of each index of each axis of the spectrum that is not open
  double shift = 0;
};
/// Factors of the modes 0 to n of the line axis: n + 1 a line, in the row-major order of this rank's lines. Collective.
std::vector<double> open_kernel(const Communicator& comm, const OpenAxes& open, const Side& spectrum);

}  // namespace shardfft
