#pragma once
// What a local FFT library is to the front: a factory and what it cannot do.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "local/local_fft.hpp"

namespace shardfft {

/// `make` is given specs that the front has cut to fit: one thread, forward-signed r2c, backward-signed c2r, at least
/// one point, and in place only where input and output strides name the same bytes.
struct Backend {
  std::string name;
  /// The library and its version, as it says itself.
  std::string version;
  LocalFftFactory make;
  /// The library does everything a spec can ask, and is called without the front (the oracle).
  bool complete = false;
  /// Results are multiplied by `scale` by the library.
  bool scales = false;
  /// Out-of-place c2r over several axes overwrites its input whatever `preserve_input` says.
  bool c2r_destroys = false;
  /// Batch loops of one call.
  int max_loops = std::numeric_limits<int>::max();
  /// Bytes of one call beyond which it only plans slower.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// The backend called `name`, or what "auto" stands for; throws Error(invalid_argument) for unknown names.
const Backend& find_backend(const std::string& name);

Backend fftw_backend();
Backend mkl_backend();
Backend reference_backend();

}  // namespace shardfft
