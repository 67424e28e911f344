#include "pack/short_numbers.hpp"

#include <cmath>

namespace shardfft {

std::size_t ShortNumbers::run_bytes(std::int64_t numbers) const {
  const std::int64_t blocks = (numbers + block - 1) / block;
  return static_cast<std::size_t>(2 * blocks + bytes * numbers);
}

/// The worst block: every number has the largest error, and all numbers but one are nearly 0.
double ShortNumbers::most_error() const {
  const double of_one = std::ldexp(1.0, 1 - 8 * bytes);
  return std::sqrt(static_cast<double>(block)) * of_one * (1 + of_one);
}

ShortNumbers choose_short_numbers(Precision precision, double tolerance, int reshapes) {
  ShortNumbers numbers{precision, 0};
  const int most = static_cast<int>(numbers.number_bytes()) * 3 / 4;
  do {
    if (++numbers.bytes > most) return {precision, 0};
  } while (reshapes * numbers.most_error() > tolerance);
  return numbers;
}

}  // namespace shardfft
