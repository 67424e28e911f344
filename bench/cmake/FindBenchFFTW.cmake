# FFTW in both precisions: targets BenchFFTW::FFTW (with OpenMP threads) and BenchFFTW::MPI.
find_path(BenchFFTW_INCLUDE_DIR fftw3.h HINTS ${FFTW_ROOT}/include)
foreach(part fftw3 fftw3f fftw3_omp fftw3f_omp fftw3_mpi fftw3f_mpi)
  find_library(BenchFFTW_${part} ${part} HINTS ${FFTW_ROOT}/lib)
endforeach()
find_path(BenchFFTW_MPI_INCLUDE_DIR fftw3-mpi.h HINTS ${FFTW_ROOT}/include)

include(FindPackageHandleStandardArgs)
if(BenchFFTW_MPI_INCLUDE_DIR AND BenchFFTW_fftw3_mpi AND BenchFFTW_fftw3f_mpi)
  set(BenchFFTW_MPI_FOUND TRUE)
endif()
find_package_handle_standard_args(BenchFFTW HANDLE_COMPONENTS REQUIRED_VARS
  BenchFFTW_fftw3 BenchFFTW_fftw3f BenchFFTW_fftw3_omp BenchFFTW_fftw3f_omp BenchFFTW_INCLUDE_DIR)

if(BenchFFTW_FOUND AND NOT TARGET BenchFFTW::FFTW)
  find_package(OpenMP QUIET COMPONENTS CXX)
  add_library(BenchFFTW::FFTW INTERFACE IMPORTED)
  target_include_directories(BenchFFTW::FFTW INTERFACE ${BenchFFTW_INCLUDE_DIR})
  target_link_libraries(BenchFFTW::FFTW INTERFACE
    ${BenchFFTW_fftw3_omp} ${BenchFFTW_fftw3f_omp} ${BenchFFTW_fftw3} ${BenchFFTW_fftw3f} m)
  if(TARGET OpenMP::OpenMP_CXX)
    target_link_libraries(BenchFFTW::FFTW INTERFACE OpenMP::OpenMP_CXX)
  endif()
  if(BenchFFTW_MPI_FOUND)
    add_library(BenchFFTW::MPI INTERFACE IMPORTED)
    target_include_directories(BenchFFTW::MPI INTERFACE ${BenchFFTW_MPI_INCLUDE_DIR})
    target_link_libraries(BenchFFTW::MPI INTERFACE ${BenchFFTW_fftw3_mpi} ${BenchFFTW_fftw3f_mpi} BenchFFTW::FFTW)
  endif()
endif()
