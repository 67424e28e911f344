// Butterflies and Fourier transforms that make cosine and sine transforms, against the definition; no GPU takes part.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "device/cosine.hpp"
#include "local/cosine_matrix.hpp"

namespace shardfft::test {
namespace {

using device::CosineUnit;
using device::TwoReals;
using Number = std::complex<double>;
using Line = std::vector<Number>;

/// All butterflies of one side; counts how often each number is written.
template <class UnitOf>
Line run(const Line& in, std::size_t out_points, std::int64_t units, const UnitOf& unit_of) {
  Line out(out_points);
  std::vector<int> written(out_points);
  for (std::int64_t h = 0; h < units; ++h) {
    const CosineUnit unit = unit_of(h);
    TwoReals<double> numbers[2];
    for (int i = 0; i < 2; ++i)
      if (unit.in[i] >= 0) {
        const Number z = in.at(static_cast<std::size_t>(unit.in[i]));
        numbers[i] = {z.real(), z.imag()};
      }
    const double angle = std::numbers::pi * static_cast<double>(unit.angle) / static_cast<double>(unit.half_turn);
    for (int o = 0; o < 2; ++o) {
      if (unit.out[o] < 0) continue;
      const auto z = device::output_of(unit, o, numbers, {std::cos(angle), std::sin(angle)});
      out.at(static_cast<std::size_t>(unit.out[o])) = {z.re, z.im};
      ++written.at(static_cast<std::size_t>(unit.out[o]));
    }
  }
  for (std::size_t i = 0; i < out_points; ++i) EXPECT_EQ(written[i], 1) << i;
  return out;
}

Line transformed(AxisTransform type, const Line& line) {
  const auto n = static_cast<std::int64_t>(line.size());
  const std::int64_t points = device::fourier_points(type, n), lines = device::fourier_lines(type, n);
  const Line before = run(line, static_cast<std::size_t>(points * lines), device::units_before(type, n),
                          [&](std::int64_t h) { return device::before_unit(type, n, h); });
  Line spectrum(before.size());
  const double sign = device::fourier_direction(type) == Direction::forward ? -1 : 1;
  for (std::int64_t l = 0; l < lines; ++l)
    for (std::int64_t k = 0; k < points; ++k)
      for (std::int64_t j = 0; j < points; ++j)
        spectrum[static_cast<std::size_t>(l * points + k)] +=
            before[static_cast<std::size_t>(l * points + j)] *
            std::polar(1.0,
                       sign * 2 * std::numbers::pi * static_cast<double>(j * k % points) / static_cast<double>(points));
  return run(spectrum, line.size(), device::units_after(type, n),
             [&](std::int64_t h) { return device::after_unit(type, n, h); });
}

TEST(CosineMap, IsTheDefinitionOfTwoLinesAtOnce) {
  using enum AxisTransform;
  for (const AxisTransform type : {dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4})
    for (std::int64_t n = type == dct1 ? 2 : 1; n <= 21; ++n) {
      SCOPED_TRACE(std::to_string(static_cast<int>(type)) + ", " + std::to_string(n));
      Line line;
      for (std::int64_t j = 0; j < n; ++j)
        line.emplace_back(std::sin(1.0 + 3 * static_cast<double>(j)), std::cos(2.0 + 5 * static_cast<double>(j * j)));
      const Line got = transformed(type, line);
      const auto matrix = cosine_matrix(type, n);
      for (std::int64_t k = 0; k < n; ++k) {
        Number sum;
        for (std::int64_t j = 0; j < n; ++j)
          sum += static_cast<double>(matrix[static_cast<std::size_t>(k * n + j)]) * line[static_cast<std::size_t>(j)];
        EXPECT_LT(std::abs(got[static_cast<std::size_t>(k)] - sum), 1e-13 * static_cast<double>(n)) << k;
      }
    }
}

}  // namespace
}  // namespace shardfft::test
