#pragma once
// How passes that check themselves compare sums (option verify): plain arithmetic for kernels and for the stand-in.
// Compiled for the host, by nvcc and at run time: no headers.

namespace shardfft::device::lines {

/// What rounding may make of the difference of the sums of lines that are compared together. Each is made of sums of a
/// few numbers of one line, each times its weight: together their squares are as large as those of the numbers, times
/// the weights' squares, so that the numbers' squares need not be added up. Both sides count, of which one has many
/// such sums where the other one has few.
struct SumLimits {
  double part = 0;   ///< of the root of the sum of squares of these sums
  double floor = 0;  ///< and so much more: below, squares and single precision underflow

  constexpr double allowed(double squares) const { return part * part * squares + floor * floor; }
};

/// What a pass tells of its lines: sums of all bits that it read and wrote, as words of 32, of which the lower 32 bits
/// count; how many sums were compared; the square of the largest difference as a part of what is allowed, a double; and
/// of passes along two axes, by how much what the first one wrote differs from what the second one read.
enum PassResult { bits_read, bits_written, sums_compared, largest_square, bits_between, pass_results };

/// What a line's numbers are multiplied by: n complex numbers in the precision of the pass for its input, and behind
/// them n words of 32 bits for its result, whose weights are (1 + i) times real numbers: the upper halves of doubles,
/// or floats. What threads load beside their numbers costs them as much as these.
inline constexpr int result_weight_bytes = 4;
/// For a line of n points whose numbers have this many bytes.
constexpr int weight_bytes(int n, int number_bytes) { return n * (number_bytes + result_weight_bytes); }

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
