#include "local/cosine_matrix.hpp"

#include <cmath>
#include <numbers>

#include "base/check.hpp"

namespace shardfft {
namespace {

using LongReal = long double;

/// pi * numerator / denominator, reduced by whole turns first.
LongReal angle(std::int64_t numerator, std::int64_t denominator) {
  return std::numbers::pi_v<LongReal> * static_cast<LongReal>(numerator % (2 * denominator)) /
         static_cast<LongReal>(denominator);
}

LongReal entry(AxisTransform type, std::int64_t n, std::int64_t k, std::int64_t j) {
  const LongReal sign = k % 2 == 0 ? 1 : -1;
  switch (type) {
    case AxisTransform::dct1:
      if (j == 0) return 1;
      return j == n - 1 ? sign : 2 * std::cos(angle(j * k, n - 1));
    case AxisTransform::dct2:
      return 2 * std::cos(angle((2 * j + 1) * k, 2 * n));
    case AxisTransform::dct3:
      return j == 0 ? 1 : 2 * std::cos(angle(j * (2 * k + 1), 2 * n));
    case AxisTransform::dct4:
      return 2 * std::cos(angle((2 * j + 1) * (2 * k + 1), 4 * n));
    case AxisTransform::dst1:
      return 2 * std::sin(angle((j + 1) * (k + 1), n + 1));
    case AxisTransform::dst2:
      return 2 * std::sin(angle((2 * j + 1) * (k + 1), 2 * n));
    case AxisTransform::dst3:
      return j == n - 1 ? sign : 2 * std::sin(angle((j + 1) * (2 * k + 1), 2 * n));
    case AxisTransform::dst4:
      return 2 * std::sin(angle((2 * j + 1) * (2 * k + 1), 4 * n));
    case AxisTransform::fft:
      break;
  }
  fail(Status::internal, "a Fourier transform has no matrix of cosines");
}

}  // namespace

std::vector<long double> cosine_matrix(AxisTransform type, std::int64_t n) {
  std::vector<long double> matrix;
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j) matrix.push_back(entry(type, n, k, j));
  return matrix;
}

}  // namespace shardfft
