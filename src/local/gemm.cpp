#include "local/gemm.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/compute.hpp"

namespace shardfft {
namespace {

/// BLAS prints, and may exit, on wrong leading dimensions; we throw before it sees them.
void check_matrix(const char* name, std::int64_t columns, std::int64_t leading) {
  require(leading >= std::max<std::int64_t>(columns, 1), "gemm: leading dimension of ", name, " is ", leading,
          ", less than its ", columns, " columns");
  narrow(leading, "gemm: leading dimension");
}

}  // namespace

void gemm(const GemmSpec& spec, std::complex<double> alpha, const void* a, const void* b, std::complex<double> beta,
          void* c) {
  require(spec.m >= 0 && spec.n >= 0 && spec.k >= 0, "gemm: negative extents ", spec.m, ", ", spec.n, ", ", spec.k);
  for (const std::int64_t extent : {spec.m, spec.n, spec.k}) narrow(extent, "gemm: extent");
  if (spec.m == 0 || spec.n == 0) return;
  check_matrix("A", spec.transpose_a == Transpose::none ? spec.k : spec.m, spec.lda);
  check_matrix("B", spec.transpose_b == Transpose::none ? spec.n : spec.k, spec.ldb);
  check_matrix("C", spec.n, spec.ldc);
  const auto m = static_cast<double>(spec.m), n = static_cast<double>(spec.n), k = static_cast<double>(spec.k);
  const double numbers = m * k + k * n + (beta == 0.0 ? 1 : 2) * m * n;
  const Work work{numbers * static_cast<double>(ElementType{spec.precision, true}.bytes()), 8 * m * n * k};
  compute(work, [&] { detail::blas_gemm(spec, alpha, a, b, beta, c); });
}

}  // namespace shardfft
