#include "local/exact_lengths.hpp"

#include <algorithm>

#include "local/work_memory.hpp"

namespace shardfft {

bool mkl_is_exact(const FftSpec& spec) {
  return spec.precision == Precision::f32 ||
         std::none_of(spec.transform.begin(), spec.transform.end(),
                      [](const Loop& d) { return has_prime_above(d.count, 16) && !has_prime_above(d.count, 149); });
}

}  // namespace shardfft
