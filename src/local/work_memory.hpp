#pragma once
// The memory that libraries need beside the arrays of a transform; some do not survive its lack.
#include <string>

#include "local/local_fft.hpp"

namespace shardfft {

/// Whether a prime above `bound` divides `n`.
bool has_prime_above(std::int64_t n, std::int64_t bound);

/// Primes above this are transformed by convolutions of a multiple of their length.
inline constexpr std::int64_t large_prime = std::int64_t{1} << 16;

/// The approximate bytes that a library takes for factors and buffers of a transform, beside its arrays.
double work_bytes(const FftSpec& spec);

/// Throws Error(out_of_memory) if there is not enough memory for `library` to plan a transform, with planning arrays of
/// `array_bytes`.
void require_work_memory(const FftSpec& spec, double array_bytes, const std::string& library);

}  // namespace shardfft
