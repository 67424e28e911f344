# CBLAS::cblas: the C interface of BLAS with 32-bit integers. oneMKL when it was found before, else OpenBLAS, else any
# library that has it. A serial OpenBLAS is preferred: the threaded one starts a thread a core in every rank.
if(TARGET MKL::sequential)
  set(CBLAS_LIBRARY ${MKL_intel_lp64_LIBRARY})
else()
  find_library(CBLAS_LIBRARY NAMES openblas cblas HINTS ${CBLAS_ROOT} $ENV{CBLAS_ROOT}
    PATH_SUFFIXES openblas-serial lib)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBLAS REQUIRED_VARS CBLAS_LIBRARY
  REASON_FAILURE_MESSAGE "matrix-product transforms will be refused (Debian and Ubuntu: libopenblas-dev)")
if(CBLAS_FOUND AND NOT TARGET CBLAS::cblas)
  add_library(CBLAS::cblas INTERFACE IMPORTED)
  if(TARGET MKL::sequential)
    target_link_libraries(CBLAS::cblas INTERFACE MKL::sequential)
  else()
    target_link_libraries(CBLAS::cblas INTERFACE ${CBLAS_LIBRARY})
  endif()
endif()
