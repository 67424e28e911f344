#pragma once
// Kernels that touch every element once, enqueued on a stream of the current device. Pointers are device memory.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/factor_limits.hpp"
#include "geometry/factors.hpp"
#include "geometry/kept_modes.hpp"
#include "pack/spectral_factors.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device {

/// out[i] = in[i] * factor, `count` elements of `element`; in == out is allowed.
void scale(const void* in, void* out, std::int64_t count, ElementType element, double factor, void* stream);
/// Multiplies the complex elements of `pieces` by their factors (conjugated when backward); in == out is allowed.
void twiddle(const void* in, void* out, const TwiddleFactors& factors, const std::vector<Piece>& pieces,
             Direction direction, Precision precision, void* stream);
/// out[i] = in[i] * factors[i % period], `count` elements, all of `element`; in == out is allowed.
void multiply(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period,
              ElementType element, void* stream);
/// Multiplies the elements of `pieces`, whose axis 0 counts fields, by factors that meet computes(); real elements by
/// the factors' real parts. `numbers` has the factors' numbers along axes, one term after the other. in == out is
/// allowed. Without `in` it writes the factors.
void multiply(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
              const std::vector<Piece>& pieces, ElementType element, void* stream);
/// Whether multiply() needs no array of factors.
inline bool computes(const SpectralFactors& factors) {
  return !factors.has_arrays() && !factors.has_texts() && factors.terms.size() <= most_factor_terms &&
         factors.depth() <= most_factor_depth;
}
/// Compiles the kernel of factors with texts for the current device. Throws Error without a compiler; with the
/// compiler's message, if a text does not compile; and for factors with both arrays and texts, or with more than
/// most_factor_terms terms.
void prepare_texts(const SpectralFactors& factors, ElementType element);
/// As multiply(), by factors that prepare_texts() has compiled.
void multiply_by_texts(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
                       const std::vector<Piece>& pieces, ElementType element, void* stream);
/// Real to complex (forward) or the real part of complex (backward), `count` elements, in != out.
void promote(const void* in, void* out, std::int64_t count, Direction direction, Precision precision, void* stream);
/// Zeroes and doubles the modes of `pieces` by HalfSpectrum; in == out is allowed.
void half_spectrum(const void* in, void* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                   Precision precision, void* stream);
/// keep_modes() copies the kept modes of `in` (piece `all`) to `out` (piece `kept`); pad_modes() copies them back and
/// zeroes all others. Both sides are of `element`. Lone modes are treated as in pack/modes.hpp. in != out.
void keep_modes(const void* in, const Piece& all, void* out, const Piece& kept, const KeptModes& modes,
                ElementType element, void* stream);
void pad_modes(const void* in, const Piece& kept, void* out, const Piece& all, const KeptModes& modes,
               ElementType element, void* stream);

}  // namespace shardfft::device
