#pragma once
// Lengths that a library does not transform exactly enough for `auto`.
#include "local/local_fft.hpp"

namespace shardfft {

/// Whether oneMKL's results have rms errors of at most 4 eps. They do not in double precision if the largest prime
/// factor of a length is one of 17 to 149: oneMKL 2026.0 with AVX-512 reached 142 eps for composites of these (206, its
/// real lines 412 too), with AVX2 and SSE 5.8 eps for the primes 47 and 53; for all other lengths of 2 to 4096, and for
/// all in single precision, it stayed below 3.
bool mkl_is_exact(const FftSpec& spec);

}  // namespace shardfft
