// Spectra, moments and derivatives of vector fields in the C interface.
#include "shardfft/c/spectra.h"

#include "c/wall.hpp"

using namespace shardfft;
using namespace shardfft::c;

namespace {

template <class Sum>
shardfft_status shells_of(MPI_Comm comm, shardfft_side side, std::int64_t room, double* sums, std::int64_t* shells,
                          const Sum& sum) {
  return guarded([&] {
    std::shared_ptr<const Side> of;
    agreed(comm, [&] {
      of = get(side);
      place(shells, "shells");
      given(sums, room, "sums");
    });
    const Shells result = sum(*of);
    give_numbers(result.sums, room, sums);
    *shells = static_cast<std::int64_t>(result.sums.size());
  });
}

}  // namespace

shardfft_status shardfft_cross_spectrum(MPI_Comm comm, shardfft_side side, const void* a, const void* b, int axes,
                                        const double* lengths, double width, int64_t room, double* sums,
                                        int64_t* shells) {
  return shells_of(comm, side, room, sums, shells,
                   [&](const Side& of) { return cross_spectrum(comm, of, a, b, lengths_of(axes, lengths), width); });
}
shardfft_status shardfft_cross_spectrum_f(MPI_Fint comm, shardfft_side side, const void* a, const void* b, int axes,
                                          const double* lengths, double width, int64_t room, double* sums,
                                          int64_t* shells) {
  return shardfft_cross_spectrum(MPI_Comm_f2c(comm), side, a, b, axes, lengths, width, room, sums, shells);
}
shardfft_status shardfft_energy_spectrum(MPI_Comm comm, shardfft_side side, const void* a, int axes,
                                         const double* lengths, double width, int64_t room, double* sums,
                                         int64_t* shells) {
  return shells_of(comm, side, room, sums, shells,
                   [&](const Side& of) { return energy_spectrum(comm, of, a, lengths_of(axes, lengths), width); });
}
shardfft_status shardfft_energy_spectrum_f(MPI_Fint comm, shardfft_side side, const void* a, int axes,
                                           const double* lengths, double width, int64_t room, double* sums,
                                           int64_t* shells) {
  return shardfft_energy_spectrum(MPI_Comm_f2c(comm), side, a, axes, lengths, width, room, sums, shells);
}
shardfft_status shardfft_moments(MPI_Comm comm, shardfft_side side, const void* array, int64_t room, double* numbers) {
  return guarded([&] {
    std::shared_ptr<const Side> of;
    agreed(comm, [&] {
      of = get(side);
      given(numbers, room, "numbers");
    });
    std::vector<double> all;
    for (const Moments& m : moments(comm, *of, array))
      all.insert(all.end(), {m.mean, m.variance, m.skewness, m.kurtosis, m.least, m.largest});
    give_numbers(all, room, numbers);
  });
}
shardfft_status shardfft_moments_f(MPI_Fint comm, shardfft_side side, const void* array, int64_t room,
                                   double* numbers) {
  return shardfft_moments(MPI_Comm_f2c(comm), side, array, room, numbers);
}

shardfft_status shardfft_gradient(shardfft_side side, const void* scalar, void* vector, int axes, const double* lengths,
                                  int64_t vectors, int last_axis_first) {
  return guarded(
      [&] { gradient(*get(side), scalar, vector, lengths_of(axes, lengths), vectors, last_axis_first != 0); });
}
shardfft_status shardfft_divergence(shardfft_side side, const void* vector, void* scalar, int axes,
                                    const double* lengths, int64_t vectors, int last_axis_first) {
  return guarded(
      [&] { divergence(*get(side), vector, scalar, lengths_of(axes, lengths), vectors, last_axis_first != 0); });
}
shardfft_status shardfft_curl(shardfft_side side, const void* vector, void* changed, int axes, const double* lengths,
                              int64_t vectors, int last_axis_first) {
  return guarded([&] { curl(*get(side), vector, changed, lengths_of(axes, lengths), vectors, last_axis_first != 0); });
}
shardfft_status shardfft_project(shardfft_side side, const void* vector, void* changed, int axes, const double* lengths,
                                 int64_t vectors, int last_axis_first) {
  return guarded(
      [&] { project(*get(side), vector, changed, lengths_of(axes, lengths), vectors, last_axis_first != 0); });
}
