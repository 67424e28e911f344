// A plane wave, transformed from slabs: the spectrum is one number, and every other entry is zero.
// Run: mpirun -n 4 ./example_01_slab
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

using Complex = std::complex<double>;

/// Largest distance between this rank's spectrum and the exact one: N at `wave`, zero elsewhere.
double worst_error(const shardfft::Side& side, const std::vector<Complex>& spectrum, const shardfft::Shape& wave) {
  const double points = static_cast<double>(side.layout.shape()[0] * side.layout.shape()[1] * side.layout.shape()[2]);
  double worst = 0;
  // A local array is one or more pieces; a piece says which indices it holds, and where they lie.
  for (const shardfft::Piece& piece : side.layout.pieces(side.rank)) {
    const auto& axis = piece.set.axis;
    for (std::int64_t i = 0; i < axis[0].count; ++i)
      for (std::int64_t j = 0; j < axis[1].count; ++j)
        for (std::int64_t k = 0; k < axis[2].count; ++k) {
          const bool hit = axis[0].at(i) == wave[0] && axis[1].at(j) == wave[1] && axis[2].at(k) == wave[2];
          const auto at = piece.offset + i * piece.stride[0] + j * piece.stride[1] + k * piece.stride[2];
          const double error = std::abs(spectrum[static_cast<std::size_t>(at)] - (hit ? points : 0.0));
          worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
        }
  }
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

  // This rank's planes of exp(2 pi i (3 x/48 + 5 y/40 + 7 z/36)), in C order.
  const shardfft::IndexSet mine = slabs.local(rank);
  std::vector<Complex> field;
  for (std::int64_t i = 0; i < mine.axis[0].count; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j)
      for (std::int64_t k = 0; k < shape[2]; ++k) {
        const double turns = static_cast<double>(wave[0] * mine.axis[0].at(i)) / static_cast<double>(shape[0]) +
                             static_cast<double>(wave[1] * j) / static_cast<double>(shape[1]) +
                             static_cast<double>(wave[2] * k) / static_cast<double>(shape[2]);
        field.push_back(std::polar(1.0, 2 * std::numbers::pi * turns));
      }

  std::vector<Complex> spectrum(static_cast<std::size_t>(plan.output().count()));
  plan.forward(field.data(), spectrum.data());

  double worst = worst_error(plan.output(), spectrum, wave);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s\nlargest error of the spectrum: %.1e\n", slabs.describe().c_str(), worst);
  return worst < 1e-8 ? 0 : 1;
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
