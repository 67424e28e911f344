# How test programs are built and launched.
if(MPIEXEC_EXTRA_FLAGS)
  set(_mpi_flags ${MPIEXEC_EXTRA_FLAGS})
else()
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE _mpi_version ERROR_VARIABLE _mpi_version_err)
  if(_mpi_version MATCHES "Open MPI|OpenRTE|PRRTE")
    # More ranks than cores, and tests may run as root in a container.
    set(_mpi_flags --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
  endif()
endif()

# Tests of GPU plans link the library with the stand-in, unless the library itself has GPUs or the stand-in.
function(shardfft_test_program name source main)
  add_executable(${name} ${source} ${main})
  set(library shardfft)
  if(name MATCHES "^(mpi_)?gpu_" AND TARGET shardfft_standin)
    set(library shardfft_standin)
  endif()
  target_link_libraries(${name} PRIVATE shardfft_test_support ${library})
  # Compiling takes longer than running: the library is what is optimised. Sanitizers make the difference larger, but for
  # tests on the stand-in, which compare large arrays.
  set(optimise -O1)
  if(SHARDFFT_SANITIZE AND NOT name MATCHES "^gpu_")
    set(optimise -O0)
  endif()
  target_compile_options(${name} PRIVATE -Wall -Wextra ${optimise})
  if(SHARDFFT_PRECOMPILE)
    # Programs that are compiled alike share the headers of the first of them.
    get_property(first GLOBAL PROPERTY shardfft_test_headers${optimise})
    if(first)
      target_precompile_headers(${name} REUSE_FROM ${first})
    else()
      set_property(GLOBAL PROPERTY shardfft_test_headers${optimise} ${name})
      target_precompile_headers(${name} PRIVATE <gtest/gtest.h> ${SHARDFFT_COMMON_HEADERS})
    endif()
  endif()
endfunction()

# With 6 and 8 ranks there are grids that fewer do not have (2 x 3, 2 x 4, 2 x 2 x 2), groups of several ranks in both
# directions, and more ranks than planes. These are the tests of what depends on that.
set(_many_ranks "^mpi_(exchange|reshape|cannon|random|gpu_test_(exchange|slab|plan))|^mpi_plan_test_(transforms|options|gather|communicators)")

function(shardfft_serial_test name source)
  shardfft_test_program(${name} ${source} "")
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  # Some start processes of their own.
  string(REPLACE ";" " " _launcher "${MPIEXEC_EXECUTABLE};${_mpi_flags};${MPIEXEC_NUMPROC_FLAG}")
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1;SHARDFFT_TEST_LAUNCHER=${_launcher}")
endfunction()

function(shardfft_mpi_test name source)
  shardfft_test_program(${name} ${source} mpi_main.cpp)
  foreach(ranks ${SHARDFFT_TEST_RANKS})
    if(ranks GREATER 4 AND NOT SHARDFFT_TEST_ALL_RANKS AND NOT name MATCHES "${_many_ranks}")
      continue()
    endif()
    set(processors 2)
    if(ranks EQUAL 1)
      set(processors 1)
    endif()
    add_test(NAME ${name}_${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${_mpi_flags}
      $<TARGET_FILE:${name}>)
    # More ranks than cores: those that wait should give theirs to the others (Open MPI is told by a flag).
    set_tests_properties(${name}_${ranks} PROPERTIES TIMEOUT 600 PROCESSORS ${processors}
      ENVIRONMENT "MPIR_CVAR_POLLS_BEFORE_YIELD=1;OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1")
  endforeach()
endfunction()
