// Real data: the spectrum of a real field is its own mirror image, so only half of it is kept and sent.
// Run: mpirun -n 4 ./example_04_real
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

/// Sum of |spectrum|^2 over the whole spectrum: entries whose mirror image was left out count twice.
double energy(const shardfft::Side& side, const std::vector<std::complex<float>>& spectrum, std::int64_t real_extent) {
  double sum = 0;
  for (const shardfft::Piece& piece : side.layout.pieces(side.rank)) {
    const auto& axis = piece.set.axis;
    for (std::int64_t i = 0; i < axis[0].count; ++i)
      for (std::int64_t j = 0; j < axis[1].count; ++j)
        for (std::int64_t k = 0; k < axis[2].count; ++k) {
          const auto at = piece.offset + i * piece.stride[0] + j * piece.stride[1] + k * piece.stride[2];
          const std::int64_t index = axis[2].at(k);
          const bool own_mirror = index == 0 || 2 * index == real_extent;
          sum += (own_mirror ? 1.0 : 2.0) * static_cast<double>(std::norm(spectrum[static_cast<std::size_t>(at)]));
        }
  }
  return sum;
}

int transform() {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const shardfft::Shape shape{33, 20, 50};  // the last axis is halved: 50 -> 26
  const auto slabs = shardfft::Layout::slab(shape, ranks);
  // ortho: both directions scale by 1/sqrt(N), so that energy is the same on both sides (Parseval).
  shardfft::Plan plan(MPI_COMM_WORLD, shardfft::r2c<float>, slabs, shardfft::default_output,
                      {.norm = shardfft::Norm::ortho});

  std::vector<float> field(static_cast<std::size_t>(plan.input().count()));
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = std::sin(0.37F * static_cast<float>(i)) + 0.25F * static_cast<float>(rank);
  std::vector<std::complex<float>> spectrum(static_cast<std::size_t>(plan.output().count()));
  plan.forward(field.data(), spectrum.data());

  double sums[2] = {0, energy(plan.output(), spectrum, shape[2])};
  for (const float value : field) sums[0] += static_cast<double>(value) * static_cast<double>(value);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  std::vector<float> back(field.size());
  plan.backward(spectrum.data(), back.data());
  double worst = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const double error = std::abs(back[i] - field[i]);
    worst = error >= 0 ? std::max(worst, error) : HUGE_VAL;  // std::max alone would drop NaN
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

  if (rank == 0)
    std::printf("energy of the field %.6f, of the half spectrum %.6f; largest error of the round trip: %.1e\n", sums[0],
                sums[1], worst);
  return worst < 1e-5 && std::abs(sums[0] - sums[1]) < 1e-5 * sums[0] ? 0 : 1;
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
