// Operators along axes with cosine and sine transforms, where fields end at walls.
#include <gtest/gtest.h>

#include <cmath>

#include "support/operator_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using enum AxisTransform;

TEST(OperatorWalls, CosineAndSineAxes) {
  std::size_t turn = 0;
  for (const std::vector<AxisTransform>& types :
       {std::vector{dct1, dct2, dct3}, std::vector{dct4, dst1, dst2}, std::vector{dst3, dst4, dct2}})
    for (const std::string algorithm : {"slab", "pencil", "brick"})
      for (const Kind kind : {Kind::r2r, Kind::c2c}) {
        Options options = quick_with(types, algorithm);
        options.batch = turn % 3 == 0 ? 2 : 1;
        options.threads = turn % 2 == 0 ? 2 : 1;
        const Precision precision = turn++ % 4 == 0 ? Precision::f32 : Precision::f64;
        check_case_applied({{6, 5, 9}, "slab", "left", kind, precision, options});
      }
  for (const Kind kind : {Kind::r2c, Kind::c2c})
    for (const std::vector<AxisTransform>& types : {std::vector{fft, fft, dct1}, std::vector{dst2, fft, dct4}})
      check_case_applied({{6, 8, 5}, "brick", "left", kind, Precision::f64, quick_with(types)});
  Options some = quick_with({dct2});
  some.axes = {1};
  check_case_applied({{6, 8, 5}, "slab", "left", Kind::r2r, Precision::f64, some});
  some.modes = {5};
  check_case_applied({{6, 8, 5}, "slab", "left", Kind::r2r, Precision::f64, some});
}

/// Where a transform has its first point and its last, in spacings from the ends of the domain, and its first mode in
/// half waves.
struct Grid {
  AxisTransform type;
  double before, behind, first_mode;
  double (*function)(double);
};

/// Each mode that a transform expands fields in is a wave on its points, of which all is known.
TEST(OperatorWalls, WavesOfCosinesAndSines) {
  constexpr std::int64_t n = 6;
  constexpr double length = 1.7;
  const auto cosine = [](double x) { return std::cos(x); };
  const auto sine = [](double x) { return std::sin(x); };
  for (const Grid& grid : {Grid{dct1, 0, 0, 0, cosine}, Grid{dct2, 0.5, 0.5, 0, cosine}, Grid{dct3, 0, 1, 0.5, cosine},
                           Grid{dct4, 0.5, 0.5, 0.5, cosine}, Grid{dst1, 1, 1, 1, sine}, Grid{dst2, 0.5, 0.5, 1, sine},
                           Grid{dst3, 1, 0, 0.5, sine}, Grid{dst4, 0.5, 0.5, 0.5, sine}}) {
    SCOPED_TRACE(to_text(grid.type));
    Plan plan(MPI_COMM_WORLD, r2r<double>, Layout::slab({3, n}, world().size()), default_output,
              quick_with({dct2, grid.type}));
    const Side& side = plan.input();
    const double spacing = length / (grid.before + static_cast<double>(n - 1) + grid.behind);
    std::vector<double> field(side.size()), result(side.size());
    for (std::int64_t mode = 0; mode < n; ++mode) {
      const double k = pi / length * (static_cast<double>(mode) + grid.first_mode);
      EXPECT_DOUBLE_EQ(plan.output().wavenumbers(1, length)[mode], k);
      for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
        field[to_size(at)] = grid.function(k * (grid.before + static_cast<double>(i % n)) * spacing);
      });
      // What rounding leaves in the other modes is multiplied by their factors.
      const double most = pi * std::max(3.0, static_cast<double>(n + 1) / length);
      const auto expect = [&](const Operator& op, double factor, double largest = 1) {
        plan.apply(op, field, result);
        for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], factor * field[i], 1e-13 * largest);
      };
      const Operator::Lengths lengths{1, length};
      expect(Operator::laplacian(lengths), -k * k, 2 * most * most);
      expect(Operator::inverse_laplacian(lengths), k == 0 ? 0 : -1 / (k * k));
      expect(Operator::derivative(1, 2, lengths), -k * k, most * most);
      expect(Operator::derivative(1, 4, lengths), k * k * k * k, most * most * most * most);
      expect(Operator::gaussian(0.3, lengths), std::exp(-0.045 * k * k));
      expect(Operator::of_wavenumbers([](std::span<const double> q) { return 1 + q[1]; }, lengths), 1 + k);
      expect(Operator::laplacian(), -std::pow(k * length / pi, 2));  // of the length pi
    }
  }
}

/// sin(2x) between walls where its slope, cos(3y), is zero.
TEST(OperatorWalls, PeriodicAlongOneAxisAndWallsAlongTheOther) {
  Options options = quick_with({fft, dct2});
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({8, 6}, world().size()), default_output, options);
  const Side& side = plan.input();
  std::vector<double> field(side.size()), slope(side.size()), result(side.size());
  for_own_elements(side, 0, [&](std::int64_t at, std::int64_t i) {
    const double x = 2 * pi * static_cast<double>(i / 6) / 8, y = pi * (static_cast<double>(i % 6) + 0.5) / 6;
    field[to_size(at)] = std::sin(2 * x) * std::cos(3 * y);
    slope[to_size(at)] = 2 * std::cos(2 * x) * std::cos(3 * y);
  });
  plan.apply(Operator::laplacian(), field, result);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], -13 * field[i], 1e-13);
  plan.apply(Operator::derivative(0), field, result);
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], slope[i], 1e-13);
}

TEST(OperatorWalls, RefuseWhatCosinesAndSinesLack) {
  Plan plan(MPI_COMM_WORLD, r2r<double>, Layout::slab({4, 6}, world().size()), default_output,
            quick_with({dct2, dst1}));
  std::vector<double> x(plan.input().size());
  expect_error(Status::unsupported, "even orders only", [&] { plan.apply(Operator::derivative(1), x, x); });
  expect_error(Status::unsupported, "sines of cosines", [&] { plan.apply(Operator::derivative(0, 3), x, x); });
  expect_error(Status::unsupported, "Fourier transforms along all axes", [&] { plan.convolution(x); });
  const std::vector<std::complex<double>> factors(plan.output().size(), 1);
  expect_error(Status::invalid_argument, "the spectrum is real", [&] { plan.apply(Operator::array(factors), x, x); });
  const auto turn = Operator::of_indices([](std::span<const std::int64_t>) { return std::complex<double>(0, 1); });
  if (plan.output().layout.count(world().size() - 1) > 0) {
    expect_error(Status::invalid_argument, "the spectrum is real", [&] { plan.apply(turn, x, x); });
  }
  Plan mixed(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 6}, world().size()), default_output,
             quick_with({fft, dct2}));
  std::vector<std::complex<double>> z(mixed.input().size());
  expect_error(Status::unsupported, "no convolution", [&] { mixed.convolution(z); });
  mixed.apply(Operator::derivative(0), z, z);
}

}  // namespace
}  // namespace shardfft::test
