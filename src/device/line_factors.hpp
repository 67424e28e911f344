#pragma once
// The factors of an operator by which a pass multiplies its results. For kernels, for the stand-in and for planners.
// Compiled for the host, by nvcc and at run time: no headers.

namespace shardfft::device::lines {

/// A pass of no operator; the sum `above`; its quotient by `below`; an array of real numbers, or of complex ones, in
/// the precision of the pass.
enum class FactorsAre : int { none, sums, quotients, reals, numbers };

/// The factor of point k of line (outer, m). All numbers but those of the array are complex doubles in device memory.
struct LineFactors {
  /// The one for line outer * columns + m of `lines`; if that is null, the constant.
  struct OfLine {
    const void* lines = nullptr;
    double constant[2] = {0, 0};
  };
  /// first + second * along[k]; if `along` is null, first.
  struct Sum {
    OfLine first, second;
    const void* along = nullptr;
  };
  FactorsAre are = FactorsAre::none;
  bool real = false;  ///< whether all numbers of the sums are
  unsigned columns = 0;
  Sum above, below;  ///< the quotient is 0 if `below` is 0
  const void* array = nullptr;
  long long line_stride = 0, outer_stride = 0;  ///< of the array, in numbers; 1 for m
};

}  // namespace shardfft::device::lines
