// Whole transforms by matrix products against the definition, forward and backward apart.
#include <gtest/gtest.h>

#include "mpi_cannon/kit.hpp"
#include "shardfft/shardfft.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

/// Arrays here are lists of real numbers, two of them for a complex one.
void forward(Plan& plan, const void* in, void* out) { plan.forward(in, out); }
void backward(Plan& plan, const void* in, void* out) { plan.backward(in, out); }

const char* const algorithms[] = {"cannon", "cannon_transposed", "cannon_hybrid"};

struct Case {
  Shape shape;
  Options options;
};

std::vector<int> axes_of(const Case& c) {
  std::vector<int> axes = c.options.axes;
  if (!axes.empty()) return axes;
  for (std::size_t a = 0; a < c.shape.size(); ++a) axes.push_back(static_cast<int>(a));
  return axes;
}

/// The first n/2+1 indices of the halved axis.
Field half_of(const Field& full, const Shape& shape, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  Field half;
  for (std::size_t i = 0; i < full.size(); ++i)
    if (static_cast<std::int64_t>(i) / inner % shape[axis] <= shape[axis] / 2) half.push_back(full[i]);
  return half;
}

/// Forward against the definition; backward, on its own, of the exact spectrum.
template <class T>
void check(const Case& c, Plan& plan, Kind kind) {
  SCOPED_TRACE(c.options.algorithm + " " + text(c.shape) + " threads " + std::to_string(c.options.threads));
  const std::vector<int> axes = axes_of(c);
  const bool real = kind == Kind::r2c;
  const Field field = noise(c.shape, c.options.batch, real);
  Field spectrum = transform(field, c.shape, axes, -1);
  if (real) spectrum = half_of(spectrum, c.shape, static_cast<std::size_t>(axes.back()));
  const Local<T> in(plan.input()), out(plan.output());
  const std::vector<T> given = in.take(field);
  std::vector<T> got = out.room();
  std::vector<T> source = given;
  forward(plan, source.data(), got.data());
  EXPECT_LT(out.error(got, spectrum), tolerance<T>(c.shape)) << "forward";
  EXPECT_EQ(source, given) << "the input was changed";
  const std::vector<T> exact = out.take(spectrum);
  std::vector<T> back = in.room();
  backward(plan, exact.data(), back.data());
  EXPECT_LT(in.error(back, field), 2 * tolerance<T>(c.shape)) << "backward";
}

template <class T>
void check_natural(const Case& c, const Layout& layout, Kind kind = Kind::c2c) {
  Plan plan(MPI_COMM_WORLD, {kind, shardfft::detail::PrecisionOf<T>::value}, layout, natural_output, c.options);
  check<T>(c, plan, kind);
}

Options with(const std::string& algorithm) {
  Options options;
  options.effort = Effort::estimate;
  options.algorithm = algorithm;
  return options;
}

TEST(Cannon, TransformsBricksOfAnySize) {
  for (const std::string algorithm : algorithms)
    for (const Shape& shape : {Shape{8, 8, 8}, Shape{9, 10, 11}, Shape{5, 7, 3}, Shape{1, 4, 6}}) {
      const Case c{shape, with(algorithm)};
      check_natural<double>(c, Layout::brick(shape, process_grid(world_size(), 3)));
      check_natural<float>(c, Layout::brick(shape, process_grid(world_size(), 3)));
    }
}

TEST(Cannon, TransformsOtherDimensions) {
  for (const std::string algorithm : algorithms)
    for (const Shape& shape : {Shape{1}, Shape{13}, Shape{64}, Shape{6, 9}, Shape{3, 1, 1}, Shape{3, 4, 5, 2}}) {
      const Case c{shape, with(algorithm)};
      check_natural<double>(c, Layout::slab(shape, world_size()));
    }
}

TEST(Cannon, TakesAnyLayout) {
  const Shape shape{6, 5, 7};
  for (const std::string algorithm : algorithms)
    for (const NamedLayout& l : zoo(shape, world_size())) {
      SCOPED_TRACE(l.name);
      const Case c{shape, with(algorithm)};
      check_natural<double>(c, l.layout);
      Plan plan(MPI_COMM_WORLD, c2c<double>, l.layout, default_output, c.options);
      check<double>(c, plan, Kind::c2c);
    }
}

/// All meshes of as many ranks as there are.
std::vector<Shape> meshes(int ranks) {
  std::vector<Shape> all;
  for (int a = 1; a <= ranks; ++a)
    for (int b = 1; a * b <= ranks; ++b)
      if (ranks % (a * b) == 0) all.push_back({a, b, ranks / (a * b)});
  return all;
}

TEST(Cannon, WorksOnEveryMesh) {
  const Shape shape{7, 6, 9};
  for (const std::string algorithm : algorithms)
    for (const Shape& mesh : meshes(world_size())) {
      SCOPED_TRACE(text(mesh));
      Case c{shape, with(algorithm)};
      c.options.grid = mesh;
      check_natural<double>(c, Layout::slab(shape, world_size(), 1));
    }
}

TEST(Cannon, KeepsTheMeshOfItsInput) {
  const Shape shape{6, 6, 6};
  const Layout brick = Layout::brick(shape, process_grid(world_size(), 3), {1, 2, 0});
  for (const char* algorithm : {"cannon", "cannon_transposed"}) {
    const Plan plan(MPI_COMM_WORLD, c2c<double>, brick, default_output, with(algorithm));
    EXPECT_TRUE(plan.output().layout.same_as(brick));
    const std::string report = plan.report().to_text();
    EXPECT_EQ(report.find("reshape"), std::string::npos) << report;
    EXPECT_NE(report.find("cannon axis 2"), std::string::npos) << report;
  }
}

TEST(Cannon, UsesThreads) {
  const Shape shape{6, 9, 10};
  for (const std::string algorithm : algorithms)
    for (const int threads : {2, 3}) {
      Case c{shape, with(algorithm)};
      c.options.threads = threads;
      check_natural<double>(c, Layout::brick(shape, process_grid(world_size(), 3)));
    }
}

TEST(Cannon, TransformsBatchesAndSomeAxes) {
  const Shape shape{5, 4, 6};
  for (const std::string algorithm : algorithms)
    for (const std::vector<int>& axes : {std::vector<int>{1}, {2, 0}, {0, 1, 2}}) {
      Case c{shape, with(algorithm)};
      c.options.batch = 3;
      c.options.axes = axes;
      check_natural<double>(c, Layout::brick(shape, process_grid(world_size(), 3)));
    }
}

TEST(Cannon, TransformsRealArrays) {
  for (const std::string algorithm : algorithms)
    for (const Shape& shape : {Shape{8, 8, 8}, Shape{5, 7, 9}, Shape{4, 1}, Shape{3, 2}, Shape{12}}) {
      const Case c{shape, with(algorithm)};
      check_natural<double>(c, Layout::slab(shape, world_size()), Kind::r2c);
      check_natural<float>(c, Layout::brick(shape, process_grid(world_size(), shape.size())), Kind::r2c);
    }
  Case c{{6, 7, 4}, with("cannon")};
  c.options.axes = {2, 0};
  check_natural<double>(c, Layout::brick(c.shape, process_grid(world_size(), 3)), Kind::r2c);
}

TEST(Cannon, TransformsHalfSpectraToRealArrays) {
  const Shape shape{4, 3, 6};
  const Shape half{4, 3, 4};
  for (const std::string algorithm : algorithms) {
    Options options = with(algorithm);
    options.norm = Norm::none;
    Plan plan(MPI_COMM_WORLD, {Kind::c2r, Precision::f64}, Layout::brick(half, process_grid(world_size(), 3)),
              default_output, options);
    const Field field = noise(shape, 1, true);
    const Field full = transform(field, shape, {0, 1, 2}, -1);
    const Local<double> in(plan.input()), out(plan.output());
    const auto spectrum = in.take(half_of(full, shape, 2));
    std::vector<double> got = out.room();
    forward(plan, spectrum.data(), got.data());
    Field scaled = field;
    for (Wide& v : scaled) v *= 72;
    EXPECT_LT(out.error(got, scaled), tolerance<double>(shape)) << algorithm;
  }
}

/// A wave exp(+2 pi i (k . x / n)) has one mode, at k, of N; the sign cannot hide, nor the scale.
TEST(Cannon, FindsTheModeOfAWave) {
  const Shape shape{4, 6, 5};
  const std::int64_t mode[] = {1, 2, 4};
  Field wave(static_cast<std::size_t>(volume(shape)));
  for (std::int64_t i = 0; i < volume(shape); ++i) {
    const std::int64_t x[] = {i / 30, i / 5 % 6, i % 5};
    long double turns = 0;
    for (std::size_t a = 0; a < 3; ++a)
      turns += static_cast<long double>(mode[a] * x[a]) / static_cast<long double>(shape[a]);
    wave[static_cast<std::size_t>(i)] = std::polar<long double>(1, 2 * std::numbers::pi_v<long double> * turns);
  }
  Field peak(wave.size());
  peak[static_cast<std::size_t>((mode[0] * 6 + mode[1]) * 5 + mode[2])] = 120;
  for (const std::string algorithm : algorithms) {
    Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab(shape, world_size()), natural_output, with(algorithm));
    const Local<double> side(plan.input());
    std::vector<double> got = side.room();
    forward(plan, side.take(wave).data(), got.data());
    EXPECT_LT(side.error(got, peak), 1e-13) << algorithm;
    backward(plan, side.take(peak).data(), got.data());
    EXPECT_LT(side.error(got, wave), 1e-13) << algorithm;
  }
}

TEST(Cannon, ScalesAsAsked) {
  const Shape shape{4, 3, 5};
  const Field field = noise(shape, 1, false);
  const Field spectrum = transform(field, shape, {0, 1, 2}, -1);
  const long double n = 60;
  for (const std::string algorithm : algorithms)
    for (const auto& [norm, factor] : {std::pair{Norm::ortho, 1 / std::sqrt(n)},
                                       {Norm::forward, 1 / n},
                                       {Norm::none, 1.0L},
                                       {Norm::backward, 1.0L}}) {
      Options options = with(algorithm);
      options.norm = norm;
      Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab(shape, world_size()), natural_output, options);
      const Local<double> side(plan.input());
      std::vector<double> got = side.room();
      forward(plan, side.take(field).data(), got.data());
      Field expected = spectrum;
      for (Wide& v : expected) v *= factor;
      EXPECT_LT(side.error(got, expected), tolerance<double>(shape)) << algorithm;
    }
}

TEST(Cannon, RunsInPlaceAndAgain) {
  const Shape shape{6, 4, 5};
  const Field field = noise(shape, 1, false);
  const Field spectrum = transform(field, shape, {0, 1, 2}, -1);
  for (const std::string algorithm : algorithms) {
    Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::brick(shape, process_grid(world_size(), 3)), natural_output,
              with(algorithm));
    const Local<double> side(plan.input());
    for (int run = 0; run < 3; ++run) {
      std::vector<double> data = side.take(field);
      forward(plan, data.data(), data.data());
      EXPECT_LT(side.error(data, spectrum), tolerance<double>(shape)) << algorithm;
      backward(plan, data.data(), data.data());
      EXPECT_LT(side.error(data, field), tolerance<double>(shape)) << algorithm;
    }
  }
}

/// Ranks without elements may give null pointers.
TEST(Cannon, PassesBlocksOverRanksWithoutElements) {
  const Shape shape{1, 3, 2};
  for (const char* algorithm : {"cannon", "cannon_transposed"}) {
    Options options = with(algorithm);
    options.grid = {1, world_size(), 1};
    Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::brick(shape, options.grid), default_output, options);
    const Local<double> side(plan.input());
    const Field field = noise(shape, 1, false);
    std::vector<double> in = side.take(field);
    std::vector<double> got = side.room();
    const bool empty = side.reals() == 0;
    forward(plan, empty ? nullptr : in.data(), empty ? nullptr : got.data());
    EXPECT_LT(side.error(got, transform(field, shape, {0, 1, 2}, -1)), tolerance<double>(shape));
  }
}

TEST(Cannon, RefusesAGridThatDoesNotFit) {
  Options options = with("cannon");
  options.grid = {world_size() + 1, 1, 1};
  expect_error(Status::invalid_argument, "one an axis", [&] {
    Plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 4, 4}, world_size()), default_output, options);
  });
}

}  // namespace
}  // namespace shardfft::test
