#include "local/exact_lengths.hpp"

#include <algorithm>

#include "local/work_memory.hpp"

namespace shardfft {

namespace {

/// Whether a prime of 17 to 149 divides a length.
bool has_middle_prime(std::int64_t n) {
  for (const std::int64_t p : {2, 3, 5, 7, 11, 13})
    while (n > 0 && n % p == 0) n /= p;
  for (std::int64_t p = 17; n > 1 && p <= 149; ++p)
    if (n % p == 0) return true;
  return false;
}

}  // namespace

bool mkl_is_exact(const FftSpec& spec) {
  return std::none_of(spec.transform.begin(), spec.transform.end(), [&](const Loop& d) {
    return has_prime_above(d.count, 16) &&
           (d.count > 4096 || (spec.precision == Precision::f64 && has_middle_prime(d.count)));
  });
}

}  // namespace shardfft
