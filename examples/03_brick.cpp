// Bricks in, bricks out, as particle and mesh codes hold their grids: a Poisson equation solved in place.
// Run: mpirun -n 8 ./example_03_brick
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <iostream>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

using Complex = std::complex<double>;
using Index = std::array<std::int64_t, 3>;

/// Ranks as a grid of three factors; MPI chooses them.
shardfft::Shape cubic_grid(int ranks) {
  int dims[3] = {0, 0, 0};
  MPI_Dims_create(ranks, 3, dims);
  return {dims[0], dims[1], dims[2]};
}

/// Calls visit(global index, element) for every element of a brick in C order.
template <class Visit>
void for_each(const shardfft::IndexSet& set, std::vector<Complex>& data, Visit visit) {
  std::size_t at = 0;
  for (std::int64_t i = 0; i < set.axis[0].count; ++i)
    for (std::int64_t j = 0; j < set.axis[1].count; ++j)
      for (std::int64_t k = 0; k < set.axis[2].count; ++k)
        visit(Index{set.axis[0].at(i), set.axis[1].at(j), set.axis[2].at(k)}, data[at++]);
}

int transform() {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const shardfft::Shape shape{30, 32, 36};
  const auto bricks = shardfft::Layout::brick(shape, cubic_grid(ranks));
  // natural_output: the spectrum comes back in the same bricks.
  shardfft::Plan plan(MPI_COMM_WORLD, shardfft::c2c<double>, bricks, shardfft::natural_output, {.in_place = true});

  // The solution of -laplace(u) = f on [0, 2 pi)^3 with f = 14 sin(x) sin(2 y) sin(3 z) is f / 14.
  const auto solution = [&](const Index& index) {
    double value = 1;
    for (std::size_t a = 0; a < 3; ++a)
      value *= std::sin(2 * std::numbers::pi * static_cast<double>(index[a]) * static_cast<double>(a + 1) /
                        static_cast<double>(shape[a]));
    return value;
  };
  const shardfft::IndexSet mine = bricks.local(rank);
  std::vector<Complex> data(static_cast<std::size_t>(plan.input().count()));
  for_each(mine, data, [&](const Index& index, Complex& value) { value = 14 * solution(index); });

  plan.forward(data.data(), data.data());
  for_each(mine, data, [&](const Index& index, Complex& value) {
    double k2 = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t k = 2 * index[a] < shape[a] ? index[a] : index[a] - shape[a];
      k2 += static_cast<double>(k * k);
    }
    value = k2 == 0 ? 0.0 : value / k2;
  });
  plan.backward(data.data(), data.data());

  double worst = 0;
  for_each(mine, data, [&](const Index& index, Complex& value) {
    const double error = std::abs(value - solution(index));
    worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
  });
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const shardfft::PlanReport report = plan.report();  // collective: every rank asks, one prints
  if (rank == 0) std::cout << report << "\nlargest error of the solution: " << worst << "\n";
  return worst < 1e-10 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    status = transform();
  } catch (const shardfft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return status;
}
