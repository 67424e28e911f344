#pragma once
// How far the two sums of a transform are apart (option verify). Plain arithmetic, for loops here and for kernels.
#include <cstdint>

namespace shardfft {

/// What rounding may make of the difference of two sums of a line.
struct LineLimits {
  double part = 0;               ///< of the root of the line's sum of squares
  double floor = 0;              ///< and so much more: below, squares and single precision underflow
  bool real_sums = false;        ///< only the real parts are equal
  bool with_neighbours = false;  ///< lines share what rounding does to their neighbours
  std::int64_t run = 1;          ///< neighbours in the fastest loop over the lines
};

/// Sums over the lines of one array: real parts, imaginary parts, squares.
struct LineSums {
  const double *real, *imag, *squares;
  std::int64_t lines;
};

/// Pairs follow each other along the batch, and may go on where a run of its fastest loop ends. What is no number
/// spreads to the neighbour.
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

/// The square of the difference, as a part of what is allowed; negative where a line has what is no number, which
/// nothing can be said of.
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
