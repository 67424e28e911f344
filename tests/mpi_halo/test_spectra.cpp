// Spectra in shells, moments, and derivatives of vector fields, against plain sums over the whole array.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "shardfft/for_each.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/spectra.hpp"
#include "support/random_layouts.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using shardfft::Index;

/// A number for each point, the same on all ranks.
double number_at(const Index& i, std::int64_t field) {
  return std::sin(static_cast<double>(i[0] * 131 + i[1] * 17 + i[2] * 3 + field * 29 + i[0] * i[1] * i[2])) + 0.3;
}

template <class T>
std::vector<T> field_of(const Side& side) {
  std::vector<T> array(side.size());
  for_each(side, array, [](std::int64_t field, const Index& i, T& x) { x = static_cast<T>(number_at(i, field)); });
  return array;
}

/// Sums over the full spectrum of two fields, in long double, by sums over all points.
std::vector<long double> shells_of_all(const Shape& shape, std::int64_t one, std::int64_t other,
                                       const std::vector<double>& lengths, double width) {
  using Complex = std::complex<long double>;
  const long double turn = 2 * std::acos(-1.0L);
  const Layout whole = Layout::single(shape, 1);
  const Side side{whole, element_type<std::complex<double>>};
  const auto spectrum = [&](std::int64_t field) {
    std::vector<Complex> modes(side.size()), next(side.size());
    std::vector<std::int64_t> place(side.size());
    for_each(side, modes, [&](const Index& i, Complex& x) { x = number_at(i, field); });
    std::int64_t stride = 1;
    for (std::size_t a = shape.size(); a-- > 0; stride *= shape[a])
      for (std::int64_t at = 0; at < side.count(); ++at) {
        const std::int64_t k = at / stride % shape[a], base = at - k * stride;
        Complex sum = 0;
        for (std::int64_t j = 0; j < shape[a]; ++j)
          sum +=
              modes[to_size(base + j * stride)] *
              std::polar(1.0L, -turn * static_cast<long double>(j * k % shape[a]) / static_cast<long double>(shape[a]));
        next[to_size(at)] = sum / static_cast<long double>(shape[a]);
        if (at + 1 == side.count()) std::swap(modes, next);
      }
    return modes;
  };
  const std::vector<Complex> a = spectrum(one), b = spectrum(other);
  std::vector<long double> sums;
  for_each(side, a.data(), [&](const Index& i, const Complex& x) {
    double square = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::int64_t k = 2 * i[axis] >= shape[axis] && shape[axis] > 1 ? i[axis] - shape[axis] : i[axis];
      square += std::pow(2 * std::acos(-1.0) * static_cast<double>(k) / lengths[axis], 2);
    }
    const auto shell = static_cast<std::size_t>(std::sqrt(square) / width + 0.5);
    if (sums.size() <= shell) sums.resize(shell + 1);
    sums[shell] += std::real(x * std::conj(b[to_size(&x - a.data())]));
  });
  return sums;
}

template <class T>
void check_shells(const Shape& shape, Kind kind, double tolerance) {
  const std::vector<double> lengths{2.0, 3.0, 1.5};
  const double width = 3.7;
  Options options;
  options.norm = Norm::forward;
  options.batch = 2;
  const Precision precision = element_type<T>.precision;
  Plan plan(MPI_COMM_WORLD, {kind, precision}, Layout::slab(shape, world().size()), default_output, options);
  std::vector<std::complex<T>> spectrum(plan.output().size());
  if (kind == Kind::r2c)
    plan.forward(field_of<T>(plan.input()), spectrum);
  else
    plan.forward(field_of<std::complex<T>>(plan.input()), spectrum);
  const Shells energy = energy_spectrum(MPI_COMM_WORLD, plan.output(), spectrum.data(), lengths, width);
  const auto first = shells_of_all(shape, 0, 0, lengths, width), second = shells_of_all(shape, 1, 1, lengths, width);
  ASSERT_GE(energy.sums.size(), first.size());
  EXPECT_EQ(energy.width, width);
  for (std::size_t s = 0; s < first.size(); ++s) {
    const auto expected = static_cast<double>((first[s] + second[s]) / 2);
    EXPECT_NEAR(energy.sums[s], expected, tolerance * expected) << "shell " << s;
  }
  // The other spectrum is this one with its fields swapped: each shell has twice the sum of their cross spectrum.
  std::vector<std::complex<T>> swapped(spectrum);
  std::rotate(swapped.begin(), swapped.begin() + plan.output().count() / 2, swapped.end());
  const Shells cross = cross_spectrum(MPI_COMM_WORLD, plan.output(), spectrum.data(), swapped.data(), lengths, width);
  const auto both = shells_of_all(shape, 0, 1, lengths, width);
  for (std::size_t s = 0; s < both.size(); ++s)
    EXPECT_NEAR(cross.sums[s], static_cast<double>(2 * both[s]), 2 * tolerance * energy.sums[s]) << "shell " << s;
}

TEST(Spectra, ShellsOfHalfAndFullSpectra) {
  for (const Shape& shape : {Shape{8, 6, 10}, Shape{5, 7, 9}, Shape{4, 1, 7}})
    for (const Kind kind : {Kind::r2c, Kind::c2c}) {
      check_shells<double>(shape, kind, 1e-13);
      check_shells<float>(shape, kind, 1e-5);
    }
}

template <class T>
void check_moments(double tolerance) {
  const Shape shape{9, 70, 50};
  const Layout layout = Layout::brick(shape, world().size());
  const Side side{layout, element_type<T>, 2, world().rank()};
  const std::vector<T> array = field_of<T>(side);
  const std::vector<Moments> got = moments(MPI_COMM_WORLD, side, array.data());
  ASSERT_EQ(got.size(), 2u);
  const Side whole{Layout::single(shape, 1), element_type<T>, 2, 0};
  const std::vector<T> all = field_of<T>(whole);
  const std::size_t half = all.size() / 2;
  for (std::size_t f = 0; f < 2; ++f) {
    const std::span<const T> field(all.data() + f * half, half);
    long double mean = 0, powers[3] = {};
    for (const T x : field) mean += x;
    mean /= static_cast<long double>(half);
    for (const T x : field)
      for (int p = 0; p < 3; ++p) powers[p] += std::pow(x - mean, p + 2) / static_cast<long double>(half);
    EXPECT_EQ(got[f].count, static_cast<std::int64_t>(half));
    EXPECT_NEAR(got[f].mean, static_cast<double>(mean), tolerance);
    EXPECT_NEAR(got[f].variance, static_cast<double>(powers[0]), tolerance);
    EXPECT_NEAR(got[f].skewness, static_cast<double>(powers[1] / std::pow(powers[0], 1.5L)), tolerance);
    EXPECT_NEAR(got[f].kurtosis, static_cast<double>(powers[2] / (powers[0] * powers[0])), tolerance);
    EXPECT_EQ(got[f].least, static_cast<double>(*std::min_element(field.begin(), field.end())));
    EXPECT_EQ(got[f].largest, static_cast<double>(*std::max_element(field.begin(), field.end())));
  }
}

TEST(Spectra, MomentsOfFields) {
  check_moments<double>(1e-13);
  check_moments<float>(1e-12);  // of the same single numbers
}

TEST(Spectra, DerivativesOfVectorFields) {
  const std::vector<double> lengths{3.0, 2.0, 5.0};
  Options options;
  options.batch = 3;
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({8, 6, 5}, world().size()), default_output, options);
  const Side& side = plan.output();
  std::vector<std::complex<double>> u(side.size()), w(u.size()), rest(u.size() / 3), slopes(u.size());
  plan.forward(field_of<double>(plan.input()), u);
  // Each component is that of operators, which other tests compare with formulas.
  const auto derivative = [&](int component, int axis) {
    Options single;
    Plan one(MPI_COMM_WORLD, r2c<double>, Layout::slab({8, 6, 5}, world().size()), default_output, single);
    std::vector<double> field = field_of<double>(plan.input()), part(one.input().size());
    std::copy_n(field.begin() + component * one.input().count(), part.size(), part.begin());
    one.apply(Operator::derivative(axis, 1, lengths), part, part);
    std::vector<std::complex<double>> modes(one.output().size());
    one.forward(part, modes);
    return modes;
  };
  const auto near = [&](std::complex<double> a, std::complex<double> b) { EXPECT_LT(std::abs(a - b), 1e-11); };
  curl(side, u.data(), w.data(), lengths);
  divergence(side, u.data(), rest.data(), lengths);
  std::array<std::array<std::vector<std::complex<double>>, 3>, 3> d;
  for (int c = 0; c < 3; ++c)
    for (int a = 0; a < 3; ++a) d[to_size(c)][to_size(a)] = derivative(c, a);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    near(rest[i], d[0][0][i] + d[1][1][i] + d[2][2][i]);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      near(w[a * rest.size() + i], d[c][b][i] - d[b][c][i]);
    }
  }
  gradient(side, u.data(), slopes.data(), lengths);
  for (std::size_t i = 0; i < rest.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a) near(slopes[a * rest.size() + i], d[0][a][i]);
  // A projection: nothing is left of a gradient, and a field without divergence stays.
  std::vector<std::complex<double>> kept(u);
  project(side, kept.data(), kept.data(), lengths);
  divergence(side, kept.data(), rest.data(), lengths);
  for (const auto& x : rest) near(x, 0);
  curl(side, kept.data(), kept.data(), lengths);
  for (std::size_t i = 0; i < kept.size(); ++i) near(kept[i], w[i]);
  project(side, slopes.data(), slopes.data(), lengths);
  for (const auto& x : slopes) near(x, 0);
  // As an operator of a batch of three.
  std::vector<double> field = field_of<double>(plan.input());
  plan.apply(Operator::calling([&](const SpectrumPart& part) { project(part.side, part.data, part.data, lengths); }),
             field, field);
  plan.forward(field, u);
  divergence(side, u.data(), rest.data(), lengths);
  for (const auto& x : rest) near(x, 0);
}

TEST(Spectra, ErrorsOnAllRanks) {
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({8, 6}, world().size()));
  std::vector<std::complex<double>> s(plan.output().size());
  std::vector<double> x(plan.input().size());
  const void* null = nullptr;
  const auto bad = [](const char* words, const std::function<void()>& work) {
    expect_error(Status::invalid_argument, words, work);
  };
  bad("null pointer", [&] { energy_spectrum(MPI_COMM_WORLD, plan.output(), world().rank() == 0 ? null : s.data()); });
  bad("width of shells", [&] { energy_spectrum(MPI_COMM_WORLD, plan.output(), s.data(), {}, -1); });
  bad("lengths of the domain", [&] { energy_spectrum(MPI_COMM_WORLD, plan.output(), s.data(), {1}); });
  bad("real numbers", [&] { moments(MPI_COMM_WORLD, plan.output(), s.data()); });
  bad("have no curl", [&] { curl(plan.output(), s.data(), s.data()); });
  bad("complex spectra", [&] { divergence(plan.input(), x.data(), x.data()); });
}

}  // namespace
}  // namespace shardfft::test
