// Bricks in, bricks out, as particle and mesh codes hold their grids: a Poisson equation solved in place.
// Run: mpirun -n 8 ./example_03_brick
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <iostream>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

using Complex = std::complex<double>;
using shardfft::Index;

int transform() {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const shardfft::Shape shape{30, 32, 36};
  const auto bricks = shardfft::Layout::brick(shape, ranks);
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
  std::vector<Complex> data(plan.input().size());
  shardfft::for_each(plan.input(), data, [&](const Index& index, Complex& value) { value = 14 * solution(index); });

  plan.forward(data, data);
  // On [0, 2 pi) wavenumbers are whole: cycles per length of the box, which a spacing of 1/n stands for.
  std::vector<shardfft::AxisValues> frequency;
  for (std::size_t a = 0; a < 3; ++a)
    frequency.push_back(plan.output().frequencies(static_cast<int>(a), 1 / static_cast<double>(shape[a])));
  shardfft::for_each(plan.output(), data, [&](const Index& index, Complex& value) {
    double k2 = 0;
    for (std::size_t a = 0; a < 3; ++a) k2 += frequency[a][index[a]] * frequency[a][index[a]];
    value = k2 == 0 ? 0.0 : value / k2;
  });
  plan.backward(data, data);

  double worst = 0;
  shardfft::for_each(plan.input(), data, [&](const Index& index, const Complex& value) {
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
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may be waiting for this one
  }
  MPI_Finalize();
  return status;
}
