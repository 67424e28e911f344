#pragma once
// Figures that watch fields during a run: spectra in shells of wavenumbers, and moments.
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "shardfft/side.hpp"

namespace shardfft {

/// Sums over the modes of a spectrum in shells of equal wavenumber: shell s has those with |k| from (s - 1/2) width to
/// (s + 1/2) width. The same on all ranks.
struct Shells {
  double width = 0;
  std::vector<double> sums;
};

/// The sum over fields and modes of Re(a conj(b)) in each shell, each mode as often as it stands for a wave
/// (Side::weights). `a` and `b` are this rank's spectra, side.count() numbers each, both in host memory or in memory of
/// one GPU, which then adds them up; work on them must have ended. The ranks of `comm` are those of the layout; with
/// MPI_COMM_NULL the sums are those of this part alone, which a program with a plan over several devices adds up
/// itself. `lengths` are those of the domain, an entry an axis; empty: as for operators. `width` 0 is the wavenumber of
/// the longest wave. One pass over memory; sums are of double precision, and on CPUs keep the parts that rounding
/// drops. With the norm "forward" all shells together are the mean of a b over all points. Throws Error on every rank.
/// Collective.
Shells cross_spectrum(MPI_Comm comm, const Side& side, const void* a, const void* b,
                      const std::vector<double>& lengths = {}, double width = 0);
/// Half the sum of |a|^2 in each shell: of the spectrum of a velocity its kinetic energy. Collective.
Shells energy_spectrum(MPI_Comm comm, const Side& side, const void* a, const std::vector<double>& lengths = {},
                       double width = 0);

/// Moments of the numbers of one field over all ranks. The variance is the mean square about the mean; skewness and
/// kurtosis are the third and fourth moments about it over its powers 3/2 and 2, 3 for Gaussian numbers; all are 0 if
/// all numbers are equal.
struct Moments {
  std::int64_t count = 0;
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0, least = 0, largest = 0;
};

/// The moments of each field of a real array, side.count() numbers in host memory or in memory of a GPU, as above. One
/// pass over memory: blocks in cache or registers are summed about their own means. Throws Error on every rank.
/// Collective.
std::vector<Moments> moments(MPI_Comm comm, const Side& side, const void* array);

/// Derivatives of vector fields by their spectra, of this rank's modes, without communication. `side` is that of the
/// spectra; each vector has one field for each axis of the array, in the order of axes (from the last to the first with
/// `last_axis_first`), one behind the other, and a scalar one field; `vectors` of them lie one behind the other. All
/// axes have Fourier transforms. Modes that stand for both k and -k have no slope, as with Operator::derivative.
/// `lengths` as above. Arrays lie in host memory; a result may begin where its input begins (that of gradient() for one
/// vector), and arrays that overlap otherwise are refused. Wrong arguments throw Error on this rank.
void gradient(const Side& side, const void* scalar, void* vector, const std::vector<double>& lengths = {},
              std::int64_t vectors = 1, bool last_axis_first = false);
void divergence(const Side& side, const void* vector, void* scalar, const std::vector<double>& lengths = {},
                std::int64_t vectors = 1, bool last_axis_first = false);
/// The curl; arrays have three axes.
void curl(const Side& side, const void* vector, void* result, const std::vector<double>& lengths = {},
          std::int64_t vectors = 1, bool last_axis_first = false);
/// The part of a vector field whose divergence is 0.
void project(const Side& side, const void* vector, void* result, const std::vector<double>& lengths = {},
             std::int64_t vectors = 1, bool last_axis_first = false);

}  // namespace shardfft
