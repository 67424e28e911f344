#pragma once
// A local FFT library as the front sees it: a factory, and the limits of the library.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "local/local_fft.hpp"

namespace shardfft {

/// `make` gets specs that the front has cut to fit: one thread, forward-signed r2c, backward-signed c2r, at least one
/// point, and in place only if input and output strides name the same bytes.
struct Backend {
  std::string name;
  /// The library and its version, as the library reports them. The call may load the library.
  std::function<std::string()> version;
  LocalFftFactory make;
  /// The library makes all transforms that a spec can describe, and is called without the front (the oracle).
  bool complete = false;
  /// The library multiplies results by `scale`.
  bool scales = false;
  /// Out-of-place c2r over several axes overwrites its input even with `preserve_input`.
  bool c2r_destroys = false;
  /// c2r over several axes gives other results than NumPy's if the input is not half of a Hermitian spectrum, so the
  /// library gets one axis at a time.
  bool needs_hermitian = false;
  /// It runs transforms while it plans, for longer than some runs take.
  bool measures = false;
  /// Lines that lie side by side are faster if the results lie one behind the other.
  bool turns = false;
  /// The library is expected to be the fastest for real transforms, also if it is not the first candidate.
  bool real_first = false;
  /// The library makes r2r transforms; otherwise they are made from its Fourier transforms.
  bool cosines = false;
  /// Whether the library makes a transform of at most max_axes axes; if not, fallback_backend() does. Empty: it makes
  /// all.
  std::function<bool(const FftSpec&)> takes{};
  /// False if results of a spec have rms errors above 4 eps: `auto` does not take the library for it. Empty: none have.
  std::function<bool(const FftSpec&)> exact{};
  /// The most axes of one call.
  std::size_t max_axes = std::numeric_limits<std::size_t>::max();
  /// The most batch loops of one call.
  int max_loops = std::numeric_limits<int>::max();
  /// The most bytes of one call: larger calls only take longer to plan.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// The backend called `name`; "auto" is the first of candidates("auto"). Throws Error(invalid_argument) for unknown
/// names.
const Backend& find_backend(const std::string& name);
/// The backends that `name` allows, the one expected to be the fastest here first: one for a name, all except the
/// oracle for "auto". A named library is taken for inexact transforms too, so it has no `exact`.
std::vector<Backend> candidates(const std::string& name);
/// The Fourier transforms of which cosine and sine transforms of one real line an axis are made; strides are undefined.
FftSpec fourier_spec(FftSpec cosines);
/// The transform that the library must make for `spec`.
inline FftSpec asked_of(const Backend& backend, const FftSpec& spec) {
  return spec.kind == Kind::r2r && !backend.cosines ? fourier_spec(spec) : spec;
}
inline bool is_exact(const Backend& backend, const FftSpec& spec) {
  return !backend.exact || backend.exact(asked_of(backend, spec));
}
/// make_local_fft() with a backend that need not be registered.
std::unique_ptr<LocalFft> make_local_fft(const Backend& backend, const FftSpec& spec);

/// The backend for transforms that other libraries do not make: FFTW, or `lanes` in builds without it.
const Backend& fallback_backend();

Backend fftw_backend();
Backend lanes_backend();
Backend mkl_backend();
Backend reference_backend();

}  // namespace shardfft
