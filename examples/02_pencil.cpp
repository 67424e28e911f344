// A derivative on pencils: forward, multiply by i k, backward. The spectrum stays where the last stage leaves it.
// Run: mpirun -n 4 ./example_02_pencil
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

using Complex = std::complex<double>;

/// Ranks as a p1 x p2 grid, as square as it can be.
shardfft::Shape square_grid(int ranks) {
  int p1 = static_cast<int>(std::sqrt(ranks));
  while (ranks % p1 != 0) --p1;
  return {p1, ranks / p1};
}

/// Multiplies by i k along axis 0, k the signed wavenumber; the middle one of an even extent has no derivative.
void differentiate(const shardfft::Side& side, std::vector<Complex>& spectrum) {
  const std::int64_t n = side.layout.shape()[0];
  for (const shardfft::Piece& piece : side.layout.pieces(side.rank)) {
    const auto& axis = piece.set.axis;
    for (std::int64_t i = 0; i < axis[0].count; ++i) {
      const std::int64_t index = axis[0].at(i);
      const std::int64_t k = 2 * index == n ? 0 : (2 * index < n ? index : index - n);
      for (std::int64_t j = 0; j < axis[1].count; ++j)
        for (std::int64_t l = 0; l < axis[2].count; ++l) {
          const auto at = piece.offset + i * piece.stride[0] + j * piece.stride[1] + l * piece.stride[2];
          spectrum[static_cast<std::size_t>(at)] *= Complex(0, static_cast<double>(k));
        }
    }
  }
}

int transform() {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  // f(x) = sin(3 x) on [0, 2 pi), the same for every y and z; f'(x) = 3 cos(3 x).
  const shardfft::Shape shape{64, 30, 28};
  const auto pencils = shardfft::Layout::pencil(shape, 2, square_grid(ranks));
  shardfft::Plan plan(MPI_COMM_WORLD, shardfft::c2c<double>, pencils, shardfft::default_output,
                      {.algorithm = "pencil"});

  const shardfft::IndexSet mine = pencils.local(rank);
  const auto angle = [&](std::int64_t i) {
    return 2 * std::numbers::pi * static_cast<double>(mine.axis[0].at(i)) / static_cast<double>(shape[0]);
  };
  const std::int64_t plane = mine.axis[1].count * mine.axis[2].count;
  std::vector<Complex> field;
  for (std::int64_t i = 0; i < mine.axis[0].count; ++i)
    field.insert(field.end(), static_cast<std::size_t>(plane), std::sin(3 * angle(i)));

  std::vector<Complex> spectrum(static_cast<std::size_t>(plan.output().count()));
  plan.forward(field.data(), spectrum.data());
  differentiate(plan.output(), spectrum);
  plan.backward(spectrum.data(), field.data());

  double worst = 0;
  for (std::int64_t i = 0; i < mine.axis[0].count; ++i)
    for (std::int64_t j = 0; j < plane; ++j) {
      const double error = std::abs(field[static_cast<std::size_t>(i * plane + j)] - 3 * std::cos(3 * angle(i)));
      worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
    }
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
  } catch (const shardfft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return status;
}
