// Complex matrix products against the definition, with every transposition, in parts of larger matrices.
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "local/gemm.hpp"
#include "shardfft/error.hpp"

extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int threads);
}

namespace shardfft::test {
namespace {

template <class Real>
struct Matrix {
  Matrix(std::int64_t rows, std::int64_t columns, unsigned seed) : leading(columns + 3) {
    values.resize(static_cast<std::size_t>(rows * leading));
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (auto& v : values) v = {uniform(random), uniform(random)};
  }
  std::complex<Real> at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * leading + j)];
  }
  /// Element (i, j) of op(this).
  std::complex<double> op(Transpose t, std::int64_t i, std::int64_t j) const {
    const std::complex<double> value(t == Transpose::none ? at(i, j) : at(j, i));
    return t == Transpose::conjugate_transpose ? std::conj(value) : value;
  }
  std::int64_t leading;
  std::vector<std::complex<Real>> values;
};

template <class Real>
void check_product(Transpose ta, Transpose tb, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::complex<double> beta) {
  const bool turned_a = ta != Transpose::none, turned_b = tb != Transpose::none;
  const Matrix<Real> a(turned_a ? k : m, turned_a ? m : k, 1), b(turned_b ? n : k, turned_b ? k : n, 2);
  const Matrix<Real> before(m, n, 3);
  Matrix<Real> c = before;
  const std::complex<double> alpha(0.5, -2);
  const Precision precision = std::is_same_v<Real, double> ? Precision::f64 : Precision::f32;
  gemm(precision, ta, tb, m, n, k, alpha, a.values.data(), a.leading, b.values.data(), b.leading, beta, c.values.data(),
       c.leading);
  const double allowed = 20 * static_cast<double>(k + 1) * std::numeric_limits<Real>::epsilon();
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < c.leading; ++j) {
      std::complex<double> expected(before.at(i, j));
      if (j < n) {
        std::complex<double> sum = 0;
        for (std::int64_t l = 0; l < k; ++l) sum += a.op(ta, i, l) * b.op(tb, l, j);
        expected = alpha * sum + beta * expected;
      }
      ASSERT_LE(std::abs(std::complex<double>(c.at(i, j)) - expected), j < n ? allowed : 0) << i << ", " << j;
    }
  }
}

TEST(Gemm, MatchesTheDefinition) {
  if (!gemm_available()) GTEST_SKIP() << "built without a BLAS";
  for (const Transpose ta : {Transpose::none, Transpose::transpose, Transpose::conjugate_transpose}) {
    for (const Transpose tb : {Transpose::none, Transpose::transpose, Transpose::conjugate_transpose}) {
      for (const double beta : {0.0, 1.0, -0.25}) {
        check_product<double>(ta, tb, 5, 7, 3, {beta, beta});
        check_product<float>(ta, tb, 17, 4, 33, {beta, 0});
        check_product<double>(ta, tb, 1, 1, 0, {beta, 0});
        check_product<double>(ta, tb, 0, 3, 2, {beta, 0});
      }
    }
  }
}

TEST(Gemm, RefusesShortRowsInsteadOfPrinting) {
  std::complex<double> x[16] = {};
  try {
    gemm(Precision::f64, Transpose::none, Transpose::none, 2, 2, 4, 1, x, 3, x, 2, 0, x, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Status::invalid_argument);
  }
}

TEST(Gemm, IsRefusedClearlyWithoutABlas) {
  if (gemm_available()) GTEST_SKIP() << "built with a BLAS";
  std::complex<double> x[3] = {};
  try {
    gemm(Precision::f64, Transpose::none, Transpose::none, 1, 1, 1, 1, x, 1, x + 1, 1, 0, x + 2, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Status::unsupported);
  }
}

TEST(Gemm, LeavesTheThreadsOfOpenBlasAsTheyWere) {
  if (!gemm_available() || openblas_get_num_threads == nullptr) GTEST_SKIP() << "not OpenBLAS";
  openblas_set_num_threads(2);
  const int before = openblas_get_num_threads();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] { check_product<double>(Transpose::none, Transpose::none, 40, 40, 40, 1); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(openblas_get_num_threads(), before);
}

TEST(Gemm, ManyThreadsAtOnceAreRight) {
  if (!gemm_available()) GTEST_SKIP() << "built without a BLAS";
  constexpr std::int64_t n = 160;
  const Matrix<double> a(n, n, 1), b(n, n, 2);
  const auto product = [&](Matrix<double>& c) {
    gemm(Precision::f64, Transpose::none, Transpose::none, n, n, n, 1, a.values.data(), a.leading, b.values.data(),
         b.leading, 0, c.values.data(), c.leading);
  };
  Matrix<double> alone(n, n, 3);
  product(alone);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Matrix<double> c(n, n, 3);
      for (int repeat = 0; repeat < 50; ++repeat) {
        product(c);
        if (c.values != alone.values) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace shardfft::test
