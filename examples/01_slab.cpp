// A plane wave, transformed from slabs: the spectrum is one number, and every other entry is zero.
// Run: mpirun -n 4 ./example_01_slab
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

/// Largest distance between this rank's spectrum and the exact one: N at `wave`, zero elsewhere.
double worst_error(const shardfft::Side& side, const std::vector<Complex>& spectrum, const shardfft::Shape& wave) {
  const double points = static_cast<double>(side.layout.shape()[0] * side.layout.shape()[1] * side.layout.shape()[2]);
  double worst = 0;
  shardfft::for_each(side, spectrum, [&](const shardfft::Index& index, const Complex& value) {
    const bool hit = index[0] == wave[0] && index[1] == wave[1] && index[2] == wave[2];
    const double error = std::abs(value - (hit ? points : 0.0));
    worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
  });
  return worst;
}

int transform() {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const shardfft::Shape shape{48, 40, 36};
  const shardfft::Shape wave{3, 5, 7};
  const auto slabs = shardfft::Layout::slab(shape, ranks);
  shardfft::Plan plan(MPI_COMM_WORLD, shardfft::c2c<double>, slabs);

  // This rank's part of exp(2 pi i (3 x/48 + 5 y/40 + 7 z/36)).
  std::vector<Complex> field(plan.input().size());
  shardfft::for_each(plan.input(), field, [&](const shardfft::Index& index, Complex& value) {
    double turns = 0;
    for (std::size_t a = 0; a < 3; ++a)
      turns += static_cast<double>(wave[a] * index[a]) / static_cast<double>(shape[a]);
    value = std::polar(1.0, 2 * std::numbers::pi * turns);
  });

  std::vector<Complex> spectrum(plan.output().size());
  plan.forward(field, spectrum);

  double worst = worst_error(plan.output(), spectrum, wave);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%s\nlargest error of the spectrum, whose one number is %d: %.1e\n", slabs.describe().c_str(),
                48 * 40 * 36, worst);
  return worst < 1e-8 ? 0 : 1;
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
