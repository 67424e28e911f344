#pragma once
// How passes that check themselves compare sums (option verify): plain arithmetic for kernels and for the stand-in.
// Compiled for the host, by nvcc and at run time: no headers.

namespace shardfft::device::lines {

/// The difference that rounding can cause between the sums of lines that are compared together. Each sum adds partial
/// sums of a few numbers of one line times their weights. The squares of these partial sums add up to as much as the
/// squares of the numbers times those of the weights, so the numbers' squares need not be summed. The partial sums of
/// both sides count: one side may have many of them and the other one few.
struct SumLimits {
  double part = 0;   ///< share of the root of the partial sums' squares
  double floor = 0;  ///< an absolute addition: below it, squares or single-precision numbers underflow

  constexpr double allowed(double squares) const { return part * part * squares + floor * floor; }
};

/// The results of a checked pass. bits_read and bits_written: sums of the 32-bit words that it read and wrote, of which
/// the lower 32 bits count. sums_compared: a number of sums. largest_square: the square of the largest difference, as a
/// share of the allowed square, a double. bits_between, of passes along two axes: the difference between the words that
/// the first axis wrote and those that the second axis read.
enum PassResult { bits_read, bits_written, sums_compared, largest_square, bits_between, pass_results };

/// Bytes of the weights of a line. The input has n complex weights in the precision of the pass. Behind them the result
/// has n words of 32 bits: its weights are (1 + i) times real numbers, of which a word is the upper half of a double,
/// or a float. These are short because a weight costs a thread as much to load as a number does.
inline constexpr int result_weight_bytes = 4;
/// For a line of n points with numbers of `number_bytes` bytes.
constexpr int weight_bytes(int n, int number_bytes) { return n * (number_bytes + result_weight_bytes); }

/// Lines with this many numbers are compared together: few enough that one wrong number exceeds the rounding errors of
/// all, and enough that threads seldom meet for it.
inline constexpr int numbers_compared = 1 << 16;

/// The square of a difference, as a share of the allowed square. Negative if the allowed square is not finite: such
/// data cannot be judged.
constexpr double squared_part(double allowed, double difference) {
  constexpr double beyond_all = 1e300;
  if (allowed - allowed != 0) return -1;
  const double part = difference * difference / allowed;
  return part - part == 0 ? part : beyond_all;
}

}  // namespace shardfft::device::lines
