// In place of gemm_cblas.cpp in builds without a BLAS.
#include "base/check.hpp"
#include "local/gemm.hpp"

namespace shardfft {

bool gemm_available() { return false; }

void detail::blas_gemm(const GemmSpec&, std::complex<double>, const void*, const void*, std::complex<double>, void*) {
  fail(Status::unsupported, "matrix products need a BLAS, and shardfft was built without: install OpenBLAS ",
       "(Debian and Ubuntu: libopenblas-dev) and build again");
}

}  // namespace shardfft
