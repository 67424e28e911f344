#pragma once
// The linearity checksum of local transforms: what is summed, by loops here or by a GPU, and what the sums say.
#include <complex>
#include <vector>

#include "exec/step_check.hpp"
#include "pack/line_residual.hpp"

namespace shardfft {

/// One loop over an array: along a transformed axis, with weights, or over the transforms of a batch.
struct CheckLoop {
  std::int64_t n;
  std::int64_t stride;                       ///< elements
  std::int64_t unit_stride;                  ///< transforms; 0 along a transformed axis
  std::vector<std::complex<double>> weight;  ///< along a transformed axis
  /// What the parts of the numbers along the axis give to the parts of their weighted sum.
  std::vector<double> to_real{}, to_imag{};
};

/// One side of the transform: the loops over its array, the widest stride first.
struct CheckSide {
  std::vector<CheckLoop> loops;
  bool is_complex = true;
};

/// By transform of the batch; apart, so that neighbours are added at once.
struct CheckSums {
  std::vector<double> real, imag, squares;

  explicit CheckSums(std::size_t count = 0) : real(count), imag(count), squares(count) {}
  void clear();
  std::size_t size() const { return real.size(); }
  std::complex<double> weighted(std::size_t unit) const { return {real[unit], imag[unit]}; }
};

/// Whether the rounding of a transform is its own, or that of a neighbour of the batch too, which is transformed with
/// it as one of complex numbers.
enum class Rounding { alone, with_neighbours };

/// Of so many lines whose sums were compared, and the largest line_residual() of any.
Finding transform_finding(std::int64_t checks, double largest_square);

class TransformCheck : public StepCheck {
 public:
  explicit TransformCheck(const FftSpec& spec, Rounding rounding = Rounding::alone);
  std::uint64_t before(const std::byte* in) override { return walk(in_, in, before_); }
  std::uint64_t after(const std::byte* out) override { return walk(out_, out, after_); }
  Finding finding() const override;
  std::size_t table_bytes() const override;

  /// For who sums elsewhere.
  const CheckSide& input() const { return in_; }
  const CheckSide& output() const { return out_; }
  std::size_t lines() const { return before_.size(); }
  const LineLimits& limits() const { return limits_; }

 private:
  std::uint64_t walk(const CheckSide& side, const std::byte* array, CheckSums& sums) const;

  Precision precision_;
  LineLimits limits_;
  CheckSide in_, out_;
  CheckSums before_, after_;
};

}  // namespace shardfft
