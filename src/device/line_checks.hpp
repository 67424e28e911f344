#pragma once
// How passes that check themselves compare sums (option verify): plain arithmetic for kernels and for the stand-in.
// Compiled for the host, by nvcc and at run time: no headers.

namespace shardfft::device::lines {

/// What rounding may make of the difference of the sums of lines that are compared together.
struct SumLimits {
  double part = 0;   ///< of the root of the sum of squares of what they read
  double floor = 0;  ///< and so much more: below, squares and single precision underflow

  constexpr double allowed(double squares) const { return part * part * squares + floor * floor; }
};

/// What a pass tells of its lines: sums of all bits that it read and wrote, as words of 32, of which the lower 32 bits
/// count; how many sums were compared; the square of the largest difference as a part of what is allowed, a double; and
/// of passes along two axes, by how much what the first one wrote differs from what the second one read.
enum PassResult { bits_read, bits_written, sums_compared, largest_square, bits_between, pass_results };

/// Numbers of lines that are compared together: few enough that a wrong one shows among what rounding does to all of
/// them, and enough that threads seldom meet for it.
inline constexpr int numbers_compared = 1 << 16;

/// The square of a difference, as a part of the square that is allowed; negative where there is what is no number,
/// which nothing can be said of.
constexpr double squared_part(double allowed, double difference) {
  constexpr double beyond_all = 1e300;
  if (allowed - allowed != 0) return -1;
  const double part = difference * difference / allowed;
  return part - part == 0 ? part : beyond_all;
}

}  // namespace shardfft::device::lines
