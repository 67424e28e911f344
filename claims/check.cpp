#include "check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace claims {

namespace {

using Mode = std::array<std::int64_t, 3>;

/// visit(index of axes 0, 1, 2; offset in the local array) for all elements of the pieces.
template <class Visit>
void for_each(const std::vector<shardfft::Piece>& pieces, Visit visit) {
  for (const shardfft::Piece& piece : pieces) {
    const auto& axis = piece.set.axis;
    for (std::int64_t i = 0; i < axis[0].count; ++i)
      for (std::int64_t j = 0; j < axis[1].count; ++j)
        for (std::int64_t k = 0; k < axis[2].count; ++k)
          visit(Mode{axis[0].at(i), axis[1].at(j), axis[2].at(k)},
                piece.offset + i * piece.stride[0] + j * piece.stride[1] + k * piece.stride[2]);
  }
}

double uniform(std::uint64_t x) {
  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
}

std::int64_t flat(const Mode& index, std::int64_t n) { return (index[0] * n + index[1]) * n + index[2]; }

/// The definition of one mode, summed over all ranks.
Complex direct_sum(const Contender& contender, std::int64_t n, const Mode& mode, MPI_Comm comm) {
  std::vector<Complex> wave(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    wave[static_cast<std::size_t>(i)] =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  Complex sum = 0;
  for_each(contender.field_pieces(), [&](const Mode& x, std::int64_t) {
    const std::int64_t turns = (x[0] * mode[0] + x[1] * mode[1] + x[2] * mode[2]) % n;
    sum += value_at(flat(x, n)) * wave[static_cast<std::size_t>(turns)];
  });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 2, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

double total(double mine, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, comm);
  return mine;
}

}  // namespace

Complex value_at(std::int64_t index) {
  const auto i = static_cast<std::uint64_t>(index);
  return {uniform(2 * i), uniform(2 * i + 1)};
}

void fill(Contender& contender, std::int64_t n) {
  Complex* field = contender.field();
  for_each(contender.field_pieces(), [&](const Mode& x, std::int64_t at) { field[at] = value_at(flat(x, n)); });
}

double worst_error(Contender& contender, std::int64_t n, MPI_Comm comm) {
  fill(contender, n);
  contender.forward();

  const std::vector<Mode> modes = {{0, 0, 0}, {1, 0, 0}, {0, n / 3, 1}, {n - 1, 2 % n, n / 2}, {n / 2, n - 1, n / 5}};
  std::vector<Complex> found(modes.size(), Complex(0));
  double energy = 0;
  for_each(contender.spectrum_pieces(), [&](const Mode& k, std::int64_t at) {
    energy += std::norm(contender.spectrum()[at]);
    for (std::size_t m = 0; m < modes.size(); ++m)
      if (k == modes[m]) found[m] = contender.spectrum()[at];
  });
  MPI_Allreduce(MPI_IN_PLACE, found.data(), static_cast<int>(2 * found.size()), MPI_DOUBLE, MPI_SUM, comm);
  const double points = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  energy = total(energy, comm) / points;

  contender.backward();
  double exact_energy = 0;
  double round_trip = 0;
  for_each(contender.field_pieces(), [&](const Mode& x, std::int64_t at) {
    const Complex exact = value_at(flat(x, n));
    exact_energy += std::norm(exact);
    round_trip += std::norm(contender.field()[at] / points - exact);
  });
  exact_energy = total(exact_energy, comm);
  round_trip = std::sqrt(total(round_trip, comm) / exact_energy);

  std::vector<double> errors{round_trip, std::abs(energy / exact_energy - 1)};
  // One mode of random numbers is about as large as the root of the energy.
  for (std::size_t m = 0; m < modes.size(); ++m)
    errors.push_back(std::abs(found[m] - direct_sum(contender, n, modes[m], comm)) / std::sqrt(exact_energy));
  const bool numbers = std::all_of(errors.begin(), errors.end(), [](double e) { return std::isfinite(e); });
  return numbers ? *std::max_element(errors.begin(), errors.end()) : std::numeric_limits<double>::infinity();
}

}  // namespace claims
