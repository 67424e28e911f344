# MKL::sequential: oneMKL's LP64 interface without its own threads (this library threads over batches itself).
# Looks in MKL_ROOT, $MKLROOT and $VIRTUAL_ENV (the place of pip's mkl-devel). Needs oneMKL 2024.1 or newer, whose DFTI names
# strides by domain. libmkl_intel_lp64 has FFTW's function names too.
set(_mkl_hints ${MKL_ROOT} $ENV{MKLROOT} $ENV{VIRTUAL_ENV})
find_path(MKL_INCLUDE_DIR mkl_dfti.h HINTS ${_mkl_hints} PATH_SUFFIXES include include/mkl mkl)
foreach(part intel_lp64 sequential core)
  find_library(MKL_${part}_LIBRARY NAMES mkl_${part} libmkl_${part}.so.3 libmkl_${part}.so.2
    HINTS ${_mkl_hints} PATH_SUFFIXES lib lib/intel64)
endforeach()
if(MKL_INCLUDE_DIR)
  file(STRINGS ${MKL_INCLUDE_DIR}/mkl_dfti.h MKL_NEW_ENOUGH REGEX "DFTI_FWD_STRIDES = ")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MKLSequential
  REQUIRED_VARS MKL_intel_lp64_LIBRARY MKL_sequential_LIBRARY MKL_core_LIBRARY MKL_INCLUDE_DIR MKL_NEW_ENOUGH
  REASON_FAILURE_MESSAGE "oneMKL 2024.1 or newer is optional: pip install mkl-devel mkl-include, and give -DMKL_ROOT")
if(MKLSequential_FOUND AND NOT TARGET MKL::sequential)
  add_library(MKL::sequential INTERFACE IMPORTED)
  target_include_directories(MKL::sequential INTERFACE ${MKL_INCLUDE_DIR})
  # --no-as-needed: the three libraries find each other's symbols only when all are loaded.
  target_link_libraries(MKL::sequential INTERFACE -Wl,--push-state,--no-as-needed
    ${MKL_intel_lp64_LIBRARY} ${MKL_sequential_LIBRARY} ${MKL_core_LIBRARY} m ${CMAKE_DL_LIBS} -Wl,--pop-state)
endif()
