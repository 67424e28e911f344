#include "local/work_memory.hpp"

#include <algorithm>

#include "base/available_memory.hpp"
#include "local/loops.hpp"

namespace shardfft {

bool has_prime_above(std::int64_t n, std::int64_t bound) {
  for (std::int64_t p = 2; p <= bound && p <= n / p; ++p)
    while (n % p == 0) n /= p;
  return n > bound;
}

double work_bytes(const FftSpec& spec) {
  double most = 0;
  for (const Loop& d : spec.transform) {
    // Factors and a buffer as long as the line. For a prime, several arrays of the next power of two above twice its
    // length: oneMKL took 7.5 times the line's bytes for 1000003 points, for which that power is 2.1 times the length.
    const double lines = has_prime_above(d.count, large_prime) ? 12 : 2;
    most = std::max(
        most, lines * static_cast<double>(d.count) * static_cast<double>(ElementType{spec.precision, true}.bytes()));
  }
  return most;
}

void require_work_memory(const FftSpec& spec, double array_bytes, const std::string& library) {
  constexpr double least = 16 << 20;  // memory that a library keeps for itself
  require_memory(least + work_bytes(spec) + array_bytes,
                 "a transform of " + std::to_string(points(spec.transform)) + " points by " + library);
}

}  // namespace shardfft
