#pragma once
// Products of complex matrices, for transforms that are written as matrix products.
#include <complex>
#include <cstdint>

#include "shardfft/types.hpp"

namespace shardfft {

enum class Transpose { none, transpose, conjugate_transpose };

/// Shape and storage of C = alpha op(A) op(B) + beta C. Matrices are row-major: op(A) is m x k, op(B) is k x n, C is
/// m x n; leading dimensions are elements from one stored row to the next.
struct GemmSpec {
  Precision precision = Precision::f64;
  Transpose transpose_a = Transpose::none;
  Transpose transpose_b = Transpose::none;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
};

/// False if this build has no BLAS.
bool gemm_available();
/// Runs on the calling thread alone, even if the BLAS has more; concurrent calls are allowed. `c` must not overlap `a`
/// or `b`, and is not read if beta is 0. Extents and leading dimensions must fit an int. Throws Error(unsupported)
/// without a BLAS.
void gemm(const GemmSpec& spec, std::complex<double> alpha, const void* a, const void* b, std::complex<double> beta,
          void* c);
/// The same as loose arguments.
inline void gemm(Precision precision, Transpose transpose_a, Transpose transpose_b, std::int64_t m, std::int64_t n,
                 std::int64_t k, std::complex<double> alpha, const void* a, std::int64_t lda, const void* b,
                 std::int64_t ldb, std::complex<double> beta, void* c, std::int64_t ldc) {
  gemm({precision, transpose_a, transpose_b, m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c);
}

/// A function of BLAS in C. Declared here, because the libraries' headers differ in name and in types, but not in
/// calling convention.
using CblasGemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                       const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc);

namespace detail {
/// The function of oneMKL, or of the linked BLAS.
CblasGemm* cblas_gemm(Precision precision);
/// Calls the BLAS, or fails in a build without one; arguments have been checked.
void blas_gemm(const GemmSpec& spec, std::complex<double> alpha, const void* a, const void* b,
               std::complex<double> beta, void* c);
}  // namespace detail

}  // namespace shardfft
