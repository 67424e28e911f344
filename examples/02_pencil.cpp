// A derivative on pencils: forward, multiply by i k, backward. The spectrum stays where the last stage leaves it.
// Run: mpirun -n 4 ./example_02_pencil
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

using Complex = std::complex<double>;

/// Multiplies by i k along axis 0, k the wavenumber; the middle one of an even extent has no derivative.
void differentiate(const shardfft::Side& side, double spacing, std::vector<Complex>& spectrum) {
  const std::int64_t n = side.layout.shape()[0];
  const shardfft::AxisValues frequency = side.frequencies(0, spacing);
  shardfft::for_each(side, spectrum, [&](const shardfft::Index& index, Complex& value) {
    const double k = 2 * index[0] == n ? 0 : 2 * std::numbers::pi * frequency[index[0]];
    value *= Complex(0, k);
  });
}

int transform() {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  // f(x) = sin(3 x) on [0, 2 pi), the same for every y and z; f'(x) = 3 cos(3 x).
  const shardfft::Shape shape{64, 30, 28};
  const auto pencils = shardfft::Layout::pencil(shape, ranks);
  shardfft::Plan plan(MPI_COMM_WORLD, shardfft::c2c<double>, pencils, shardfft::default_output,
                      {.algorithm = "pencil"});

  const double spacing = 2 * std::numbers::pi / static_cast<double>(shape[0]);
  const shardfft::AxisValues x = plan.input().coordinates(0, spacing);
  std::vector<Complex> field(plan.input().size());
  shardfft::for_each(plan.input(), field,
                     [&](const shardfft::Index& index, Complex& value) { value = std::sin(3 * x[index[0]]); });

  std::vector<Complex> spectrum(plan.output().size());
  plan.forward(field, spectrum);
  differentiate(plan.output(), spacing, spectrum);
  plan.backward(spectrum, field);

  double worst = 0;
  shardfft::for_each(plan.input(), field, [&](const shardfft::Index& index, const Complex& value) {
    const double error = std::abs(value - 3 * std::cos(3 * x[index[0]]));
    worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
  });
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s\nlargest error of the derivative: %.1e\n", pencils.describe().c_str(), worst);
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
