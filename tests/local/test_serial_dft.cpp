// What plans are compared with, against the plain sum: lengths of one, several and repeated prime factors.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/seed.hpp"
#include "support/serial_dft.hpp"

namespace shardfft::test {
namespace {

TEST(SerialDft, IsThePlainSum) {
  Random random(91);
  for (const std::int64_t n : {1, 2, 3, 6, 8, 9, 12, 17, 30, 35, 64, 125, 175})
    for (const int sign : {-1, 1}) {
      std::vector<Value> line;
      for (std::int64_t j = 0; j < n; ++j)
        line.emplace_back(static_cast<double>(random.integer(-100, 100)),
                          static_cast<double>(random.integer(-100, 100)));
      std::vector<Value> transformed = line;
      serial_dft(transformed, {n}, 0, sign);
      for (std::int64_t k = 0; k < n; ++k) {
        std::complex<long double> sum;
        for (std::int64_t j = 0; j < n; ++j)
          sum += std::complex<long double>(line[to_size(j)]) *
                 std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) /
                                      static_cast<long double>(n));
        EXPECT_LT(std::abs(std::complex<long double>(transformed[to_size(k)]) - sum), 1e-11L) << n << ", mode " << k;
      }
    }
}

}  // namespace
}  // namespace shardfft::test
