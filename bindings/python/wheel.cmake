# A wheel for any MPI: an extension module for each folder of headers in SHARDFFT_MPI_ABIS (openmpi, mpich, mpiabi), in
# shardfft/_mpi_NAME, and one for one process without MPI. shardfft/_core.py chooses among them.
include(ExternalProject)
set(_abis "${SHARDFFT_MPI_ABIS}" "none=${CMAKE_CURRENT_SOURCE_DIR}/mpi/one_process")
# Libraries that the wheel would have to bring along are left out; a build for one machine has them. FFTW's licence is another one, too.
set(_options -DSHARDFFT_FFTW=OFF -DSHARDFFT_MKL=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CBLAS=ON)
foreach(_name BUILD_TYPE TOOLCHAIN_FILE CXX_FLAGS_RELEASE CXX_COMPILER CXX_COMPILER_LAUNCHER C_COMPILER CUDA_COMPILER CUDA_COMPILER_LAUNCHER
    CUDA_ARCHITECTURES CUDA_HOST_COMPILER)
  list(APPEND _names CMAKE_${_name})
endforeach()
foreach(_name ${_names} SHARDFFT_GPU SHARDFFT_PRECOMPILE SHARDFFT_TOGETHER Python_EXECUTABLE nanobind_ROOT NCCL_ROOT CUDAToolkit_ROOT)
  if(DEFINED ${_name})
    string(REPLACE ";" "|" _value "${${_name}}")
    list(APPEND _options "-D${_name}=${_value}")
  endif()
endforeach()
set(_before)
foreach(_pair ${_abis})
  string(REGEX MATCH "^(openmpi|mpich|mpiabi|none)=(.*)$" _ "${_pair}")
  set(_abi ${CMAKE_MATCH_1})
  set(_headers ${CMAKE_MATCH_2})
  if(NOT EXISTS "${_headers}/mpi.h")
    message(FATAL_ERROR "SHARDFFT_MPI_ABIS is a list of openmpi=FOLDER, mpich=FOLDER, mpiabi=FOLDER, folders with mpi.h; not '${_pair}'")
  endif()
  # One after the other, each with all processors: memory is for one.
  ExternalProject_Add(${_abi} SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR} BINARY_DIR ${CMAKE_CURRENT_BINARY_DIR}/${_abi}
    CMAKE_ARGS ${_options} -DSHARDFFT_MPI_ABI=${_abi} -DSHARDFFT_MPI_HEADERS=${_headers} -DSHARDFFT_MPI_ABIS=
    LIST_SEPARATOR | BUILD_ALWAYS ON DEPENDS ${_before} USES_TERMINAL_BUILD ON
    INSTALL_COMMAND ${CMAKE_COMMAND} --install <BINARY_DIR> --component python --strip
      --prefix ${CMAKE_CURRENT_BINARY_DIR}/installed)
  set(_before ${_abi})
endforeach()
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/installed/shardfft DESTINATION . COMPONENT python
  USE_SOURCE_PERMISSIONS)  # one of them is a program
