#pragma once
// The difference of the two sums of a transform (option verify). Plain arithmetic, for loops on CPUs and for kernels.
#include <cstdint>

namespace shardfft {

/// The difference that rounding may cause between the two sums of a line: part * sqrt(its sum of squares) and `floor`.
struct LineLimits {
  double part = 0;               ///< of the root of the line's sum of squares
  double floor = 0;              ///< added to it: below, squares and single precision underflow
  bool real_sums = false;        ///< only the real parts are equal
  bool with_neighbours = false;  ///< rounding of a line also depends on its neighbours
  std::int64_t run = 1;          ///< neighbours in the fastest loop over the lines
};

/// Sums over the lines of one array: real parts, imaginary parts, squares.
struct LineSums {
  const double *real, *imag, *squares;
  std::int64_t lines;
};

/// Sum of squares of a line and of the lines that may be in a pair with it: its neighbours along the batch, and the
/// other end of its run. Numbers that are not finite spread to the partner.
constexpr double squares_near(const LineLimits& limits, const LineSums& sums, std::int64_t line) {
  double sum = sums.squares[line];
  if (!limits.with_neighbours) return sum;
  const std::int64_t begin = line - line % limits.run, last = begin + limits.run - 1;
  if (line > 0) sum += sums.squares[line - 1];
  if (line + 1 < sums.lines) sum += sums.squares[line + 1];
  if (line == begin) sum += sums.squares[last];
  if (line == last) sum += sums.squares[begin];
  return sum;
}

constexpr bool is_finite(double x) { return x - x == 0; }

/// The square of the difference, divided by that of the allowed one. Negative if a sum before the transform is not
/// finite: then nothing can be said.
constexpr double line_residual(const LineLimits& limits, const LineSums& before, const LineSums& after,
                               std::int64_t line) {
  constexpr double beyond_all = 1e300;
  const double near = squares_near(limits, before, line);
  const double allowed = limits.part * limits.part * near + limits.floor * limits.floor;
  if (!is_finite(allowed) || !is_finite(before.real[line]) || !is_finite(before.imag[line])) return -1;
  const double real = before.real[line] - after.real[line];
  const double imag = limits.real_sums ? 0 : before.imag[line] - after.imag[line];
  const double residual = (real * real + imag * imag) / allowed;
  return is_finite(residual) ? residual : beyond_all;
}

}  // namespace shardfft
