#pragma once
// Lengths that a library does not transform exactly enough for `auto`.
#include "local/local_fft.hpp"

namespace shardfft {

/// Whether oneMKL's results have rms errors of at most 4 eps. In double precision they have larger ones if a prime from
/// 17 to 149 divides a length: oneMKL 2026.0 with AVX-512 reached 142 eps for composites of these (206; in real lines
/// 412 too), and with AVX2 and SSE 5.8 eps for the primes 47 and 53. In both precisions they have larger ones for
/// lengths above 4096 with a prime factor above 16: 64 x 1009 reached 18.6 eps and 13.7. All other lengths that were
/// tried met the bound.
bool mkl_is_exact(const FftSpec& spec);

}  // namespace shardfft
