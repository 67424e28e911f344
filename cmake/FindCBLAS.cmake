# CBLAS_LIBRARIES: the C interface of BLAS with 32-bit integers. OpenBLAS, else any library that has it. The serial flavour of OpenBLAS comes last: threads may not call it at the same time.
find_library(CBLAS_LIBRARY NAMES openblas cblas HINTS ${CBLAS_ROOT} $ENV{CBLAS_ROOT}
  PATH_SUFFIXES openblas-pthread openblas-openmp lib openblas-serial)
set(CBLAS_LIBRARIES ${CBLAS_LIBRARY})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBLAS REQUIRED_VARS CBLAS_LIBRARIES
  REASON_FAILURE_MESSAGE "matrix-product transforms will be refused (Debian and Ubuntu: libopenblas-dev)")
