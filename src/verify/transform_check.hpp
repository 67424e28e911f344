#pragma once
// The linearity checksum of local transforms (Jou and Abraham 1986, Wang and Jha 1994): for every single transform
// y = T x of a batch, sum_j r_j y_j = sum_k (T^t r)_k x_k with fixed weights r, up to rounding.
#include "local/local_fft.hpp"
#include "pack/line_residual.hpp"
#include "verify/check_sums.hpp"
#include "verify/step_check.hpp"

namespace shardfft {

/// Whether a transform has rounding errors of its own only, or also those of a neighbour in the batch, or of any other
/// of its lines, with which it is transformed as one complex line.
enum class Rounding { alone, with_neighbours, with_any };

/// The finding of a check: how many lines had their sums compared, and the largest line_residual() among them.
Finding transform_finding(std::int64_t checks, double largest_square);

class TransformCheck {
 public:
  explicit TransformCheck(const FftSpec& spec, Rounding rounding = Rounding::alone);
  /// The finding from the sums of input and output. The squares in `before` are a lower bound of the input's: a finding
  /// without an error is then right, and one with an error is a guess. Or they come from input_squares().
  Finding finding(const CheckSums& before, const CheckSums& after) const;
  /// An upper bound of the input's sum of squares, from the output's. It is finite: if the input is not, its sums tell.
  double input_squares(double output_squares) const;
  const CheckSide& input() const { return in_; }
  const CheckSide& output() const { return out_; }
  std::size_t lines() const { return lines_; }  ///< transforms
  const LineLimits& limits() const { return limits_; }
  std::size_t table_bytes() const { return in_.table_bytes() + out_.table_bytes(); }

 private:
  std::size_t lines_ = 0;
  LineLimits limits_;
  bool with_any_ = false;
  double squares_part_ = 1;
  CheckSide in_, out_;
};

}  // namespace shardfft
