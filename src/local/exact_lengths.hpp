#pragma once
// Lengths that a library does not transform exactly enough for `auto`.
#include "local/local_fft.hpp"

namespace shardfft {

/// Whether oneMKL's results have rms errors of at most 4 eps. They do not in double precision if a prime factor of a
/// length is one of 17 to 149: oneMKL 2026.0 with AVX-512 reached 142 eps for composites of these (206, its real lines
/// 412 too), with AVX2 and SSE 5.8 eps for the primes 47 and 53. Nor do they for lengths above 4096 with a prime factor
/// above 16, in single precision too: 64 x 1009 reached 18.6 eps and 13.7. Of all other lengths that were tried they
/// did.
bool mkl_is_exact(const FftSpec& spec);

}  // namespace shardfft
