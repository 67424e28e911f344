// Functions of the BLAS that this library is linked with.
#include "local/gemm.hpp"

extern "C" shardfft::CblasGemm cblas_zgemm, cblas_cgemm;

namespace shardfft {

CblasGemm* detail::cblas_gemm(Precision precision) { return precision == Precision::f64 ? cblas_zgemm : cblas_cgemm; }

}  // namespace shardfft
