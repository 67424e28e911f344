// Plans against the whole in a hundred lines (whole.hpp), which moves data by messages of its own.
#include <gtest/gtest.h>

#include <random>

#include "mpi_oracle/whole.hpp"
#include "shardfft/plan.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

constexpr whole::Extents extents{6, 5, 7};
const Shape shape{6, 5, 7};

whole::Layout boxes_of(const Layout& layout) {
  whole::Layout boxes;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const IndexSet set = layout.local(rank);
    whole::Box& box = boxes.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      const Progression& indices = set.axis[static_cast<std::size_t>(axis)];
      box.first[static_cast<std::size_t>(axis)] = static_cast<int>(indices.first);
      box.count[static_cast<std::size_t>(axis)] = static_cast<int>(indices.count);
    }
  }
  return boxes;
}

double largest_difference(const std::vector<whole::Number>& a, const std::vector<whole::Number>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// The plan and the oracle, forward and backward, between the same layouts.
void compare(const std::string& algorithm, const whole::Program& program, const Layout& layout,
             const Layout& spectrum) {
  for (const std::string exchange : {"auto", "p2p", "alltoallv"}) {
    SCOPED_TRACE(algorithm + ", " + exchange + ", " + layout.describe());
    Options options;
    options.algorithm = algorithm;
    options.exchange = exchange;
    options.norm = Norm::none;
    options.effort = Effort::estimate;
    Plan plan(MPI_COMM_WORLD, c2c<double>, layout, spectrum, options);
    const whole::Layout in = boxes_of(layout), out = boxes_of(spectrum);
    const auto rank = static_cast<std::size_t>(world().rank());
    std::mt19937 random(7 + world().rank());
    std::normal_distribution<double> normal;
    std::vector<whole::Number> data(in[rank].size()), made(out[rank].size()), back(in[rank].size());
    for (whole::Number& number : data) number = {normal(random), normal(random)};
    const auto expected = whole::run(MPI_COMM_WORLD, program, -1, in, out, data);
    plan.forward(data.data(), made.data());
    EXPECT_LT(largest_difference(made, expected), 1e-12);
    plan.backward(expected.data(), back.data());
    EXPECT_LT(largest_difference(back, whole::run(MPI_COMM_WORLD, program, 1, out, in, expected)), 1e-10);
  }
}

TEST(Whole, SlabsAreThoseOfPlans) {
  const int ranks = world().size();
  for (const Layout& layout : {Layout::slab(shape, ranks), Layout::brick(shape, ranks), Layout::slab(shape, ranks, 2)})
    compare("slab", whole::slab(extents, ranks), layout, Layout::slab(shape, ranks, 1));
}

TEST(Whole, PencilsAreThoseOfPlans) {
  const int ranks = world().size();
  for (const Layout& layout : {Layout::pencil(shape, ranks), Layout::brick(shape, ranks)})
    compare("pencil", whole::pencil(extents, ranks), layout, layout);
}

/// The oracle itself: a wave has one mode, with the sign of the exponent.
TEST(Whole, OneWaveIsOneMode) {
  const int ranks = world().size();
  const whole::Layout planes = whole::cut(extents, {ranks, 1, 1});
  const whole::Box& mine = planes[static_cast<std::size_t>(world().rank())];
  std::vector<whole::Number> wave;
  mine.for_each([&](const whole::Extents& i) {
    const double turns = 1.0 * i[0] / 6 + 2.0 * i[1] / 5 + 3.0 * i[2] / 7;
    wave.push_back(std::polar(1.0, 2 * std::numbers::pi * turns));
  });
  for (const whole::Program& program : {whole::slab(extents, ranks), whole::pencil(extents, ranks)}) {
    const auto modes = whole::run(MPI_COMM_WORLD, program, -1, planes, planes, wave);
    std::size_t at = 0;
    mine.for_each([&](const whole::Extents& k) {
      EXPECT_NEAR(std::abs(modes[at++] - (k == whole::Extents{1, 2, 3} ? 210.0 : 0.0)), 0, 1e-10);
    });
  }
}

}  // namespace
}  // namespace shardfft::test
