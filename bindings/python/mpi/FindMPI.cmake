# In place of CMake's own, for extension modules of wheels: headers of SHARDFFT_MPI_HEADERS and no library. mpi4py has loaded
# the library before such a module, in any folder and of any name.
foreach(_language C CXX)
  if(NOT TARGET MPI::MPI_${_language})
    add_library(MPI::MPI_${_language} INTERFACE IMPORTED GLOBAL)
    target_include_directories(MPI::MPI_${_language} SYSTEM INTERFACE ${SHARDFFT_MPI_HEADERS})
    target_compile_definitions(MPI::MPI_${_language} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    if(SHARDFFT_MPI_ABI STREQUAL "mpiabi")
      # The standard's interface leaves Fortran's handles out; only functions that Python does not call take them.
      target_compile_definitions(MPI::MPI_${_language} INTERFACE MPI_ABI MPI_Fint=int MPI_Comm_f2c=MPI_Comm_fromint)
    endif()
  endif()
  set(MPI_${_language}_FOUND TRUE)
endforeach()
set(MPI_FOUND TRUE)
