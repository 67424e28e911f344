// Solvers on GPUs: the solutions of those on CPUs, which other tests compare with formulas.
#include <gtest/gtest.h>

#include "shardfft/poisson.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

constexpr AxisBoundary periodic{}, open{Boundary::open, Boundary::open},
    walls{Boundary::dirichlet, Boundary::dirichlet}, flows{Boundary::neumann, Boundary::neumann},
    mixed{Boundary::dirichlet, Boundary::neumann}, turned{Boundary::neumann, Boundary::dirichlet};

PoissonOptions options_of(std::vector<AxisBoundary> boundary) {
  PoissonOptions options;
  options.lengths = {1.5, 2.0, 0.7};
  options.lengths.resize(boundary.size());
  options.boundary = std::move(boundary);
  return options;
}

/// The same solver on GPUs, and arrays of it.
template <class T>
struct Both {
  PoissonOptions options;
  Layout layout;
  Poisson on_cpu, on_gpu;
  std::vector<T> f;

  static PoissonOptions moved(PoissonOptions o) {
    o.plan.processor = Processor::gpu;
    return o;
  }
  Both(const Layout& l, const PoissonOptions& o)
      : options(o),
        layout(l),
        on_cpu(MPI_COMM_WORLD, l, element_type<T>.precision, o),
        on_gpu(MPI_COMM_WORLD, l, element_type<T>.precision, moved(o)),
        f(static_cast<std::size_t>(l.count(world().rank()))) {
    double number = world().rank();
    for (T& x : f) x = static_cast<T>(std::sin(number += 1.7));
  }
  PlacedArray there(const std::vector<T>& array) const {
    PlacedArray placed("device", on_gpu.device(), array.size() * sizeof(T));
    placed.put(array.data());
    return placed;
  }
  void expect_near(const PlacedArray& got, const std::vector<T>& expected, const char* what) const {
    std::vector<T> array(expected.size());
    got.get(array.data());
    double most = 1e-3, error = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
      most = std::max(most, std::abs(static_cast<double>(expected[i])));
      error = std::max(error, std::abs(static_cast<double>(array[i] - expected[i])));
    }
    EXPECT_LT(error, (sizeof(T) == 8 ? 1e-12 : 2e-5) * most) << what << ", " << layout.describe();
    EXPECT_TRUE(got.guard_is_whole());
  }

  void check_solution(const std::vector<WallValues>& values = {}) {
    const PlacedArray right = there(f), solution = there(f);
    std::vector<T> expected(f.size());
    on_cpu.solve(f.data(), expected.data(), values);
    on_gpu.solve(right.data(), solution.data(), values);
    expect_near(solution, expected, "the solution");
    on_gpu.solve(right.data(), right.data(), values);
    expect_near(right, expected, "the solution in place");
  }
  void check_gradient() {
    const std::size_t axes = options.boundary.size();
    std::vector<std::vector<T>> slopes(axes, f);
    std::vector<PlacedArray> slopes_there;
    std::vector<void*> here, gpu;
    for (std::vector<T>& one : slopes) {
      here.push_back(one.data());
      slopes_there.push_back(there(one));
      gpu.push_back(slopes_there.back().data());
    }
    const PlacedArray right = there(f), solution = there(f);
    std::vector<T> expected(f.size());
    on_cpu.solve(f.data(), expected.data(), {}, here);
    on_gpu.solve(right.data(), solution.data(), {}, gpu);
    expect_near(solution, expected, "the solution");
    for (std::size_t a = 0; a < axes; ++a) expect_near(slopes_there[a], slopes[a], "a slope");
    on_cpu.adjoint(f.data(), expected.data());
    on_gpu.adjoint(right.data(), solution.data());
    expect_near(solution, expected, "the adjoint");
  }
};

TEST(GpuPoisson, PeriodicAxesAndWalls) {
  const int ranks = world().size();
  int number = 0;
  for (const auto& ends : std::vector<std::vector<AxisBoundary>>{{periodic, periodic, periodic},
                                                                 {walls, flows, periodic},
                                                                 {mixed, turned, walls},
                                                                 {flows, periodic, mixed}}) {
    PoissonOptions options = options_of(ends);
    options.points = number % 2 == 0 ? WallPoints::centres : WallPoints::nodes;
    options.wrong_mean = WrongMean::remove;
    options.shift = number == 1 ? 2.5 : 0;
    const Layout layout = number % 2 == 0 ? Layout::slab({8, 7, 9}, ranks) : Layout::brick({8, 7, 9}, ranks);
    Both<double>(layout, options).check_gradient();
    if (number == 2) Both<float>(layout, options).check_gradient();
    ++number;
  }
}

TEST(GpuPoisson, ValuesAtWalls) {
  for (const Eigenvalues eigenvalues : {Eigenvalues::spectral, Eigenvalues::second_order}) {
    PoissonOptions options = options_of({mixed, walls, periodic});
    options.eigenvalues = eigenvalues;
    Both<double> both(Layout::slab({8, 7, 9}, world().size(), 0, {2, 0, 1}), options);
    std::vector<double> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(static_cast<double>(i));
    both.check_solution({{0, true, values.data()}, {0, false, values.data() + 7}, {1, false, values.data() + 3}});
  }
}

TEST(GpuPoisson, OpenAxes) {
  const int ranks = world().size();
  const auto check = [&](const Layout& layout, const std::vector<AxisBoundary>& ends, OpenKernel kernel) {
    PoissonOptions options = options_of(ends);
    options.kernel = kernel;
    Both<double>(layout, options).check_gradient();
    return options;
  };
  check(Layout::slab({8, 6, 7}, ranks), {open, periodic, periodic}, OpenKernel::truncated);
  check(Layout::pencil({8, 6, 7}, ranks), {walls, flows, open}, OpenKernel::integrated);
  check(Layout::slab({6, 8, 5}, ranks, 1), {open, open, periodic}, OpenKernel::hockney);
  const Layout bricks = Layout::brick({5, 4, 6}, ranks);
  Both<float>(bricks, check(bricks, {open, open, open}, OpenKernel::truncated)).check_solution();
}

TEST(GpuPoisson, MeansAndErrors) {
  Both<double> both(Layout::slab({8, 7, 9}, world().size()), options_of({flows, periodic, periodic}));
  std::vector<double> ones(both.f.size(), 1), values(100, 1);
  const PlacedArray there = both.there(ones);
  expect_error(Status::invalid_argument, "the mean of f is 1", [&] { both.on_gpu.solve(there.data(), there.data()); });
  for (double& value : values) value = 0.75;  // 1.5 long, with a flow through both walls
  const std::vector<WallValues> through{{0, false, values.data()}, {0, true, values.data()}};
  const PlacedArray solution = both.there(ones);
  std::vector<double> expected(ones.size());
  both.on_cpu.solve(ones.data(), expected.data(), through);
  both.on_gpu.solve(there.data(), solution.data(), through);
  both.expect_near(solution, expected, "the solution");
  const void* const host = ones.data();
  const bool has_some = !ones.empty();
  expect_error(Status::invalid_argument, "arrays must be in its memory",
               [&] { both.on_gpu.solve(has_some && world().rank() == 0 ? host : there.data(), solution.data()); });
  PoissonOptions stretched = options_of({walls, periodic});
  stretched.plan.processor = Processor::gpu;
  stretched.stretched_axis = 0;
  stretched.cells = {0.5, 0.25, 0.25, 0.5};
  expect_error(Status::unsupported, "solved on CPUs only", [&] {
    Poisson(MPI_COMM_WORLD, Layout::slab({4, 6}, world().size()), Precision::f64, stretched);
  });
}

}  // namespace
}  // namespace shardfft::test
