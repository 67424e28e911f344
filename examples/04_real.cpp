// Real data: the spectrum of a real field is its own mirror image, so only half of it is kept and sent.
// Run: mpirun -n 4 ./example_04_real
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <shardfft/shardfft.hpp>
#include <vector>

namespace {

/// Sum of |spectrum|^2 over the whole spectrum: entries whose mirror image was left out count twice.
double energy(const shardfft::Side& side, const std::vector<std::complex<float>>& spectrum) {
  double sum = 0;
  shardfft::for_each(side, spectrum, [&](const shardfft::Index& index, const std::complex<float>& value) {
    const bool own_mirror = index[2] == 0 || 2 * index[2] == side.real_extent;
    sum += (own_mirror ? 1.0 : 2.0) * static_cast<double>(std::norm(value));
  });
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

  std::vector<float> field(plan.input().size());
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = std::sin(0.37F * static_cast<float>(i)) + 0.25F * static_cast<float>(rank);
  std::vector<std::complex<float>> spectrum(plan.output().size());
  plan.forward(field, spectrum);

  double sums[2] = {0, energy(plan.output(), spectrum)};
  for (const float value : field) sums[0] += static_cast<double>(value) * static_cast<double>(value);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  std::vector<float> back(field.size());
  plan.backward(spectrum, back);
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
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may be waiting for this one
  }
  MPI_Finalize();
  return status;
}
