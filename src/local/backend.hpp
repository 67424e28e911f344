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
  /// The library and its version, as it says itself. Asking may load the library.
  std::function<std::string()> version;
  LocalFftFactory make;
  /// The library does everything a spec can ask, and is called without the front (the oracle).
  bool complete = false;
  /// Results are multiplied by `scale` by the library.
  bool scales = false;
  /// Out-of-place c2r over several axes overwrites its input whatever `preserve_input` says.
  bool c2r_destroys = false;
  /// c2r over several axes makes something of its own of what is not half of a Hermitian spectrum, so it is given one
  /// axis at a time.
  bool needs_hermitian = false;
  /// It runs transforms while it plans, for longer than some runs take.
  bool measures = false;
  /// Lines that lie side by side are faster where the results lie one behind the other.
  bool turns = false;
  /// The library makes r2r transforms; else they are made of its Fourier transforms.
  bool cosines = false;
  /// Which transforms of at most max_axes axes the library makes; fallback_backend() makes the others. Empty:
  /// all.
  std::function<bool(const FftSpec&)> takes{};
  /// False if results of a spec have rms errors above 4 eps: `auto` does not take the library for it. Empty: none have.
  std::function<bool(const FftSpec&)> exact{};
  /// Axes of one call.
  std::size_t max_axes = std::numeric_limits<std::size_t>::max();
  /// Batch loops of one call.
  int max_loops = std::numeric_limits<int>::max();
  /// Bytes of one call beyond which it only plans slower.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// The backend called `name`; "auto" is the first of candidates("auto"). Throws Error(invalid_argument) for unknown
/// names.
const Backend& find_backend(const std::string& name);
/// The backends among which `name` leaves the choice, the one expected to be the fastest here first: one for a name,
/// all but the oracle for "auto". A library that is named is taken for inexact transforms too, so it has no `exact`.
std::vector<Backend> candidates(const std::string& name);
/// The Fourier transforms of which cosine and sine transforms of one real line an axis are made; strides say nothing.
FftSpec fourier_spec(FftSpec cosines);
/// What the library is asked for in order to make `spec`.
inline FftSpec asked_of(const Backend& backend, const FftSpec& spec) {
  return spec.kind == Kind::r2r && !backend.cosines ? fourier_spec(spec) : spec;
}
inline bool is_exact(const Backend& backend, const FftSpec& spec) {
  return !backend.exact || backend.exact(asked_of(backend, spec));
}
/// make_local_fft() with a backend that need not be registered.
std::unique_ptr<LocalFft> make_local_fft(const Backend& backend, const FftSpec& spec);

/// What makes the transforms that other libraries do not make: FFTW, or lanes in builds without it.
const Backend& fallback_backend();

Backend fftw_backend();
Backend lanes_backend();
Backend mkl_backend();
Backend reference_backend();

}  // namespace shardfft
