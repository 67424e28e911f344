// What a side tells of its indices, and visits to its elements.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "shardfft/for_each.hpp"
#include "shardfft/plan.hpp"
#include "support/world.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

Plan side_plan(Transform transform, const Shape& shape, Options options = {}) {
  options.effort = Effort::estimate;
  return Plan(MPI_COMM_WORLD, transform, Layout::slab(shape, world().size()), default_output, options);
}

std::vector<double> listed(const AxisValues& values, std::int64_t extent) {
  std::vector<double> list;
  for (std::int64_t i = 0; i < extent; ++i) list.push_back(values[i]);
  return list;
}

using List = std::vector<double>;

TEST(Side, FrequenciesAreThoseOfNumPy) {
  const Plan plan = side_plan(c2c<double>, {4, 5, 1});
  EXPECT_EQ(listed(plan.output().frequencies(0), 4), (List{0, 0.25, -0.5, -0.25}));
  EXPECT_EQ(listed(plan.output().frequencies(1), 5), (List{0, 0.2, 2 * 0.2, -2 * 0.2, -0.2}));
  EXPECT_EQ(listed(plan.output().frequencies(2), 1), (List{0}));
  EXPECT_EQ(listed(plan.output().frequencies(0, 0.5), 4), (List{0, 0.5, -1, -0.5}));
  EXPECT_EQ(listed(plan.output().coordinates(1, 0.25), 5), (List{0, 0.25, 0.5, 0.75, 1}));
}

TEST(Side, HalvedAxesHaveNoNegativeFrequencies) {
  const Plan even = side_plan(r2c<double>, {4, 6});
  EXPECT_EQ(listed(even.output().frequencies(1), 4), (List{0, 1.0 / 6, 2 * (1.0 / 6), 0.5}));
  EXPECT_EQ(listed(even.output().frequencies(0), 4), (List{0, 0.25, -0.5, -0.25}));
  const Plan odd = side_plan(r2c<double>, {4, 5});
  EXPECT_EQ(listed(odd.output().frequencies(1, 2), 3), (List{0, 0.1, 0.2}));
  const Plan first = side_plan(r2c<double>, {8, 3}, {.axes = {1, 0}});
  EXPECT_EQ(listed(first.output().frequencies(0), 5), (List{0, 0.125, 0.25, 0.375, 0.5}));
  const Plan inverse = side_plan(c2r<double>, {4, 3}, {.real_extent = 5});
  EXPECT_EQ(listed(inverse.input().frequencies(1), 3), (List{0, 0.2, 0.4}));
}

TEST(Side, WavenumbersOfEveryTransform) {
  using enum AxisTransform;
  const double pi = std::numbers::pi;
  const Plan channel = side_plan(r2c<double>, {4, 6, 3}, {.transforms = {fft, fft, dct1}});
  EXPECT_EQ(listed(channel.output().wavenumbers(0, 2 * pi), 4), (List{0, 1, -2, -1}));
  EXPECT_EQ(listed(channel.output().wavenumbers(1, 2 * pi), 4), (List{0, 1, 2, 3}));
  EXPECT_EQ(listed(channel.output().wavenumbers(2, pi), 3), (List{0, 1, 2}));
  EXPECT_EQ(listed(channel.output().wavenumbers(2, pi / 2), 3), (List{0, 2, 4}));
  const Plan walls = side_plan(r2r<double>, {3, 2, 4}, {.transforms = {dst2, dct3, dst4}});
  EXPECT_EQ(listed(walls.output().wavenumbers(0, pi), 3), (List{1, 2, 3}));
  EXPECT_EQ(listed(walls.output().wavenumbers(1, pi), 2), (List{0.5, 1.5}));
  EXPECT_EQ(listed(walls.output().wavenumbers(2, pi), 4), (List{0.5, 1.5, 2.5, 3.5}));
  const Status bad = Status::invalid_argument;
  expect_error(bad, "this side of the plan is real", [&] { channel.input().wavenumbers(2, pi); });
  expect_error(bad, "the length of the domain is 0", [&] { walls.output().wavenumbers(0, 0); });
}

TEST(Side, PositionsAreWhereTheTransformHasItsPoints) {
  using enum AxisTransform;
  const Plan walls = side_plan(r2r<double>, {3, 2, 4}, {.transforms = {dct1, dst1, dct4}});
  EXPECT_EQ(listed(walls.input().positions(0, 4), 3), (List{0, 2, 4}));
  EXPECT_EQ(listed(walls.input().positions(1, 6), 2), (List{2, 4}));
  EXPECT_EQ(listed(walls.input().positions(2, 8), 4), (List{1, 3, 5, 7}));
  const Plan some = side_plan(c2c<double>, {4, 2}, {.axes = {1}, .transforms = {dst3}});
  EXPECT_EQ(listed(some.input().positions(0, 2), 4), (List{0, 0.5, 1, 1.5}));
  EXPECT_EQ(listed(some.input().positions(1, 2), 2), (List{1, 2}));
  const Status bad = Status::invalid_argument;
  const Plan real = side_plan(r2c<double>, {4, 6});
  expect_error(bad, "this side of the plan is a spectrum", [&] { real.output().positions(0, 1); });
  expect_error(bad, "axis 2 is not an axis", [&] { real.input().positions(2, 1); });
  const Plan fewer = side_plan(c2c<double>, {4, 6}, {.modes = {4, 5}});
  expect_error(bad, "this side of the plan is a spectrum", [&] { fewer.output().positions(0, 1); });
}

TEST(Side, SlopesLeaveOutTheModeThatStandsForBothSigns) {
  const double pi = std::numbers::pi;
  const Plan even = side_plan(r2c<double>, {4, 6, 5});
  EXPECT_EQ(listed(even.output().slopes(0, 2 * pi), 4), (List{0, 1, 0, -1}));
  EXPECT_EQ(listed(even.output().slopes(1, 2 * pi), 6), (List{0, 1, 2, 0, -2, -1}));
  EXPECT_EQ(listed(even.output().slopes(2, pi), 3), (List{0, 2, 4}));
  const Plan fewer = side_plan(r2c<double>, {8, 8}, {.modes = {4, 4}});
  EXPECT_EQ(listed(fewer.output().slopes(0, 2 * pi), 4), (List{0, 1, 0, -1}));
  EXPECT_EQ(listed(fewer.output().slopes(1, 2 * pi), 3), (List{0, 1, 2}));
  const Plan walls = side_plan(r2r<double>, {3, 2}, {.axes = {0}, .transforms = {AxisTransform::dct2}});
  expect_error(Status::unsupported, "even orders only", [&] { walls.output().slopes(0, 1); });
}

std::vector<double> weights_of(const Side& side, int axis) {
  std::vector<double> list;
  const AxisWeights weights = side.weights(axis);
  for (std::int64_t i = 0; i < side.layout.shape()[static_cast<std::size_t>(axis)]; ++i) list.push_back(weights[i]);
  return list;
}

TEST(Side, WeightsCountTheWavesOfANumber) {
  using enum AxisTransform;
  EXPECT_EQ(weights_of(side_plan(c2c<double>, {4}).output(), 0), (List{1, 1, 1, 1}));
  EXPECT_EQ(weights_of(side_plan(r2c<double>, {3, 6}).output(), 1), (List{1, 2, 2, 1}));
  EXPECT_EQ(weights_of(side_plan(r2c<double>, {3, 5}).output(), 1), (List{1, 2, 2}));
  EXPECT_EQ(weights_of(side_plan(r2c<double>, {3, 1}).output(), 1), (List{1}));
  const auto kept = [](LoneMode rule, std::int64_t m) {
    return side_plan(r2c<double>, {8, 8}, {.modes = {4, m}, .lone_mode = rule});
  };
  EXPECT_EQ(weights_of(kept(LoneMode::split, 4).output(), 0), (List{1, 1, 0.5, 1}));
  EXPECT_EQ(weights_of(kept(LoneMode::split, 4).output(), 1), (List{1, 2, 0.5}));
  EXPECT_EQ(weights_of(kept(LoneMode::split, 5).output(), 1), (List{1, 2, 2}));
  EXPECT_EQ(weights_of(kept(LoneMode::keep, 4).output(), 0), (List{1, 1, 1, 1}));
  EXPECT_EQ(weights_of(kept(LoneMode::keep, 4).output(), 1), (List{1, 2, 2}));
  EXPECT_EQ(weights_of(kept(LoneMode::zero, 4).output(), 1), (List{1, 2, 0}));
  const Plan walls = side_plan(r2r<double>, {3, 3, 3, 3}, {.transforms = {dct1, dct2, dst2, dst4}});
  EXPECT_EQ(weights_of(walls.output(), 0), (List{1, 2, 1}));
  EXPECT_EQ(weights_of(walls.output(), 1), (List{1, 2, 2}));
  EXPECT_EQ(weights_of(walls.output(), 2), (List{2, 2, 1}));
  EXPECT_EQ(weights_of(walls.output(), 3), (List{2, 2, 2}));
  expect_error(Status::invalid_argument, "this side of the plan is real", [&] {
    side_plan(r2c<double>, {3, 6}).input().weights(1);
  });
}

TEST(Side, AsksForFrequenciesInVainAreErrors) {
  const Plan real = side_plan(r2c<float>, {4, 6, 3}, {.axes = {0, 1}});
  const Status bad = Status::invalid_argument;
  expect_error(bad, "this side of the plan is real", [&] { real.input().frequencies(0); });
  expect_error(bad, "axis 2 is not transformed", [&] { real.output().frequencies(2); });
  expect_error(bad, "axis 3 is not an axis", [&] { real.output().frequencies(3); });
  expect_error(bad, "axis -1 is not an axis", [&] { real.output().coordinates(-1); });
  expect_error(bad, "a finite number above 0", [&] { real.output().frequencies(0, 0); });
  expect_error(bad, "a finite number above 0", [&] { real.output().coordinates(0, std::nan("")); });
  EXPECT_EQ(real.input().coordinates(2)[2], 2.0);
}

/// Every element once, with its own index, in the order of memory.
void check_visits(const Layout& layout, std::int64_t fields) {
  const Side side{layout, {}, fields, world().rank()};
  const Shape& shape = layout.shape();
  std::vector<std::int64_t> data(static_cast<std::size_t>(side.count()), -1);
  for_each(side, data, [&](std::int64_t field, const shardfft::Index& index, std::int64_t& value) {
    EXPECT_EQ(value, -1);
    value = field;
    for (std::size_t a = 0; a < shape.size(); ++a) value = value * shape[a] + index[a];
  });
  std::int64_t visits = 0;
  for (const Piece& piece : layout.pieces(side.rank)) {
    const std::int64_t elements = piece.set.count();
    for (std::int64_t field = 0; field < fields; ++field)
      for (std::int64_t i = 0; i < elements; ++i, ++visits) {
        std::int64_t rest = i;
        std::int64_t at = field * layout.count(side.rank) + piece.offset;
        std::int64_t expected = 0;
        std::int64_t weight = 1;
        for (int a = piece.set.axes; a-- > 0;) {
          const auto axis = static_cast<std::size_t>(a);
          const std::int64_t position = rest % piece.set.axis[axis].count;
          rest /= piece.set.axis[axis].count;
          at += position * piece.stride[axis];
          expected += piece.set.axis[axis].at(position) * weight;
          weight *= shape[axis];
        }
        EXPECT_EQ(data[static_cast<std::size_t>(at)], expected + field * weight);
      }
  }
  EXPECT_EQ(visits, side.count());
}

TEST(ForEach, VisitsEveryElementWithItsIndex) {
  for (const Shape& shape : {Shape{7}, Shape{5, 6}, Shape{4, 1, 9}, Shape{3, 4, 2, 5}})
    for (const NamedLayout& l : zoo(shape, world().size()))
      for (const std::int64_t fields : {1, 3}) {
        SCOPED_TRACE(l.name + " of " + std::to_string(shape.size()) + " axes");
        check_visits(l.layout, fields);
      }
}

TEST(ForEach, VisitsLayoutsOfSeveralPieces) {
  // The two halves of the rows lie in turned order, with a gap of nothing between them.
  const int me = world().rank();
  const auto halves = [](int rank) {
    const std::int64_t row = rank;
    const Piece late{box({row, 3}, {row + 1, 5}), 0, {2, 1}};
    const Piece early{box({row, 0}, {row + 1, 3}), 2, {3, 1}};
    return std::vector<Piece>{late, early};
  };
  const Layout layout = Layout::from_pieces({world().size(), 5}, world().size(), halves);
  check_visits(layout, 2);
  std::vector<std::int64_t> columns;
  std::vector<double> data(5);
  for_each(Side{layout, {}, 1, me}, data, [&](const shardfft::Index& index, double&) {
    EXPECT_EQ(index[0], me);
    columns.push_back(index[1]);
  });
  EXPECT_EQ(columns, (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
}

TEST(ForEach, PassesOverEmptyPieces) {
  const auto pieces = [](int rank) {
    const std::int64_t row = rank;
    const Piece whole{box({row, 0}, {row + 1, 5}), 0, {5, 1}};
    std::vector<Piece> all{{box({row, 0}, {row, 5}), 0, {5, 1}}, whole, {box({row, 5}, {row + 1, 5}), 5, {5, 1}}};
    return all;
  };
  check_visits(Layout::from_pieces({world().size(), 5}, world().size(), pieces), 2);
}

TEST(ForEach, VisitsInTheOrderOfMemory) {
  const Layout layout = Layout::cyclic({4, 3, 5}, {world().size(), 1, 1}, {1, 2, 0});
  const Side side{layout, {}, 2, world().rank()};
  std::vector<float> data(static_cast<std::size_t>(side.count()));
  const float* next = data.data();
  for_each(side, data, [&](const shardfft::Index&, const float& value) { EXPECT_EQ(&value, next++); });
  EXPECT_EQ(next, data.data() + data.size());
}

TEST(ForEach, TakesPointersAndConstantData) {
  const Side side{Layout::slab({2 * world().size(), 3}, world().size()), {}, 1, world().rank()};
  const std::vector<double> ones(6, 1.0);
  double sum = 0;
  for_each(side, ones, [&](const shardfft::Index&, const double& value) { sum += value; });
  for_each(side, ones.data(),
           [&](const shardfft::Index& index, const double& value) { sum += value * double(index[1]); });
  EXPECT_EQ(sum, 6.0 + 6.0);
}

TEST(ForEach, ShortArraysAreErrors) {
  const Side side{Layout::slab({2 * world().size(), 3}, world().size()), {}, 2, world().rank()};
  std::vector<double> data(11);
  expect_error(Status::invalid_argument, "has 11 elements; 12 are expected",
               [&] { for_each(side, data, [](const shardfft::Index&, double&) { ADD_FAILURE(); }); });
}

/// The derivative of sin(3 x) sin(2 y) along y, through a half spectrum: 2 sin(3 x) cos(2 y).
TEST(ForEach, DifferentiatesAlongAHalvedAxis) {
  const Shape shape{24, 10, 18};
  Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::pencil(shape, world().size()), default_output,
            {.axes = {0, 2}, .effort = Effort::estimate});
  const double dx = 2 * std::numbers::pi / 24;
  const double dy = 2 * std::numbers::pi / 18;
  const AxisValues x = plan.input().coordinates(0, dx);
  const AxisValues y = plan.input().coordinates(2, dy);
  std::vector<double> field(plan.input().size());
  for_each(plan.input(), field, [&](const shardfft::Index& index, double& value) {
    value = std::sin(3 * x[index[0]]) * std::sin(2 * y[index[2]]) + double(index[1]);
  });
  std::vector<std::complex<double>> spectrum(plan.output().size());
  plan.forward(field, spectrum);
  const AxisValues frequency = plan.output().frequencies(2, dy);
  for_each(plan.output(), spectrum, [&](const shardfft::Index& index, std::complex<double>& value) {
    value *= std::complex<double>(0, 2 * std::numbers::pi * frequency[index[2]]);
  });
  plan.backward(spectrum, field);
  for_each(plan.input(), field, [&](const shardfft::Index& index, double& value) {
    EXPECT_NEAR(value, 2 * std::sin(3 * x[index[0]]) * std::cos(2 * y[index[2]]), 1e-12);
  });
}

}  // namespace
}  // namespace shardfft::test
