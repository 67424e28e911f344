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

/// data[i] *= factor, `count` elements of `element`.
void scale(void* data, std::int64_t count, ElementType element, double factor, void* stream);
/// Multiplies the complex elements of `pieces` by their factors (conjugated when backward); in == out is allowed.
void twiddle(const void* in, void* out, const TwiddleFactors& factors, const std::vector<Piece>& pieces,
             Direction direction, Precision precision, void* stream);
/// out[i] = in[i] * factors[i % period], `count` elements, all of `element`; in == out is allowed.
void multiply(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period,
              ElementType element, void* stream);
/// Multiplies the elements of `pieces`, whose axis 0 counts fields, by factors that computes(factors) and whose numbers
/// along axes lie at `numbers`, one term behind the other; real ones by the real parts. in == out is allowed.
void multiply(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
              const std::vector<Piece>& pieces, ElementType element, void* stream);
/// Whether multiply() does without an array of factors.
inline bool computes(const SpectralFactors& factors) {
  return !factors.has_arrays() && !factors.has_texts() && factors.terms.size() <= most_factor_terms &&
         factors.depth() <= most_factor_depth;
}
/// Compiles, for the current device, the kernel of factors with texts. Throws Error: where there is no compiler, with
/// what it says of a text, and for factors of arrays beside texts or of more than most_factor_terms terms.
void prepare_texts(const SpectralFactors& factors, ElementType element);
/// multiply() by factors that were prepared so.
void multiply_by_texts(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
                       const std::vector<Piece>& pieces, ElementType element, void* stream);
/// Real to complex (forward) or the real part of complex (backward), `count` elements, in != out.
void promote(const void* in, void* out, std::int64_t count, Direction direction, Precision precision, void* stream);
/// Zeroes and doubles the modes of `pieces` as HalfSpectrum says; in == out is allowed.
void half_spectrum(const void* in, void* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                   Precision precision, void* stream);
/// The kept modes of `in` (piece `all`) in `out` (piece `kept`), and the way back with zeroes for all others; both
/// sides of `element`. What becomes of a lone mode is as in pack/modes.hpp. in != out.
void keep_modes(const void* in, const Piece& all, void* out, const Piece& kept, const KeptModes& modes,
                ElementType element, void* stream);
void pad_modes(const void* in, const Piece& kept, void* out, const Piece& all, const KeptModes& modes,
               ElementType element, void* stream);

}  // namespace shardfft::device
