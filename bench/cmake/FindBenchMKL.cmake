# MKL as its installers or Python wheels leave it (wheels have libmkl_core.so.2 without the plain name).
# Set MKL_ROOT (variable or environment) to the installation or the virtual environment that holds it.
# Targets: BenchMKL::MKL (LP64, GNU OpenMP threads) and BenchMKL::Cluster (with the BLACS of the MPI found).
set(BenchMKL_hints ${MKL_ROOT} $ENV{MKL_ROOT} $ENV{MKLROOT} $ENV{VIRTUAL_ENV} /opt/intel/oneapi/mkl/latest)
find_path(BenchMKL_INCLUDE_DIR mkl_dfti.h HINTS ${BenchMKL_hints} PATH_SUFFIXES include mkl)

# Open MPI and MPICH need different BLACS.
if("${MPI_CXX_LIBRARY_VERSION_STRING}" MATCHES "Open MPI" OR "${MPI_CXX_LIBRARIES}" MATCHES "openmpi")
  set(BenchMKL_blacs mkl_blacs_openmpi_lp64)
else()
  set(BenchMKL_blacs mkl_blacs_intelmpi_lp64)
endif()
foreach(part mkl_intel_lp64 mkl_gnu_thread mkl_core mkl_cdft_core ${BenchMKL_blacs})
  find_library(BenchMKL_${part} NAMES ${part} lib${part}.so.3 lib${part}.so.2 lib${part}.so.1
    HINTS ${BenchMKL_hints} PATH_SUFFIXES lib lib/intel64)
endforeach()

include(FindPackageHandleStandardArgs)
if(BenchMKL_mkl_cdft_core AND BenchMKL_${BenchMKL_blacs})
  set(BenchMKL_Cluster_FOUND TRUE)
endif()
find_package_handle_standard_args(BenchMKL HANDLE_COMPONENTS REQUIRED_VARS
  BenchMKL_mkl_intel_lp64 BenchMKL_mkl_gnu_thread BenchMKL_mkl_core BenchMKL_INCLUDE_DIR)

if(BenchMKL_FOUND AND NOT TARGET BenchMKL::MKL)
  find_package(OpenMP QUIET COMPONENTS CXX)
  add_library(BenchMKL::MKL INTERFACE IMPORTED)
  target_include_directories(BenchMKL::MKL INTERFACE ${BenchMKL_INCLUDE_DIR})
  # The three refer to each other, and the cluster part refers back: keep all of them in any order.
  set(BenchMKL_libraries ${BenchMKL_mkl_intel_lp64} ${BenchMKL_mkl_gnu_thread} ${BenchMKL_mkl_core})
  target_link_libraries(BenchMKL::MKL INTERFACE -Wl,--no-as-needed ${BenchMKL_libraries}
    OpenMP::OpenMP_CXX -Wl,--as-needed m dl)
  if(BenchMKL_Cluster_FOUND)
    add_library(BenchMKL::Cluster INTERFACE IMPORTED)
    target_include_directories(BenchMKL::Cluster INTERFACE ${BenchMKL_INCLUDE_DIR})
    target_link_libraries(BenchMKL::Cluster INTERFACE -Wl,--no-as-needed ${BenchMKL_mkl_cdft_core}
      ${BenchMKL_libraries} ${BenchMKL_${BenchMKL_blacs}} OpenMP::OpenMP_CXX -Wl,--as-needed m dl)
  endif()
endif()
