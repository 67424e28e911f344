#pragma once
// The transforms that are timed beside each other: each has its own arrays, and says where its numbers are.
#include <mpi.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "shardfft/layout.hpp"

namespace claims {

using Complex = std::complex<double>;

/// A complex double n^3 transform, out of place, no scaling; the spectrum stays where the last stage leaves it.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  virtual Complex* field() = 0;
  virtual Complex* spectrum() = 0;
  /// What this rank holds of the field and of the spectrum.
  virtual std::vector<shardfft::Piece> field_pieces() const = 0;
  virtual std::vector<shardfft::Piece> spectrum_pieces() const = 0;
  /// field() -> spectrum().
  virtual void forward() = 0;
  /// spectrum() -> field().
  virtual void backward() = 0;
};

struct OurOptions {
  std::string algorithm = "auto";
  std::string exchange = "auto";
  std::string local_fft = "fftw";
  bool measure = true;
};

/// Plans with FFTW_MEASURE, or FFTW_ESTIMATE, where FFTW does the local transforms. Collective.
std::unique_ptr<Contender> make_ours(MPI_Comm comm, std::int64_t n, const OurOptions& options);
/// FFTW's own MPI transform, FFTW_MEASURE or FFTW_ESTIMATE, transposed output; `destroy` allows it to overwrite its
/// input. Collective.
std::unique_ptr<Contender> make_fftw_mpi(MPI_Comm comm, std::int64_t n, bool destroy, bool measure = true);

}  // namespace claims
