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

# Tests of GPU plans link the library with the stand-in, unless the library itself has GPUs or the stand-in. These libraries
# are shared and hide nothing.
function(shardfft_test_program name source)
  set(optimise -O1)
  if(SHARDFFT_SANITIZE AND NOT name MATCHES "^gpu_")
    set(optimise -O0)
  endif()
  add_executable(${name} ${source})
  set(library shardfft_whole)
  if(name MATCHES "^(mpi_)?gpu_" AND TARGET shardfft_standin)
    set(library shardfft_standin)
  endif()
  set(main GTest::gtest_main)
  if(name MATCHES "^mpi_")
    set(main shardfft_test_main${optimise})
  endif()
  target_link_libraries(${name} PRIVATE ${main} shardfft_test_support ${library})
  # These call FFTW themselves, as applications may.
  if(name MATCHES "^(threads_test_plans_on_threads|mpi_plan_test_beside_others)$")
    target_link_libraries(${name} PRIVATE FFTW::double FFTW::float)
  endif()
  target_compile_options(${name} PRIVATE -Wall -Wextra ${optimise}
    $<TARGET_PROPERTY:shardfft,INTERFACE_COMPILE_OPTIONS> ${SHARDFFT_TEST_CHECKS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${name} REUSE_FROM shardfft_test_main${optimise})
endfunction()

# With 6 and 8 ranks there are grids that fewer do not have (2 x 3, 2 x 4, 2 x 2 x 2), groups of several ranks in both
# directions, and more ranks than planes. These are the tests of what depends on that.
set(_many_ranks "^mpi_(exchange|reshape|cannon|random|gpu_test_(exchange|slab|plan))|^mpi_plan_test_(transforms|options|gather|communicators)")

# Seconds after which a test is taken to hang; sanitizers make tests many times as slow.
set(_longest 600)
if(SHARDFFT_SANITIZE)
  set(_longest 1800)
endif()

# Those that wait by the clock more than they work: others may run meanwhile.
set(_waiting "^mpi_(faults_test_host_faults|gpu_test_failures|plan_test_waiting)")

# Serial tests that take longest. They begin first: at the end nothing is left to run beside them.
set(_long "^(gpu_test_slab|memory_test_peak)$")

function(shardfft_serial_test name source)
  shardfft_test_program(${name} ${source})
  add_test(NAME ${name} COMMAND ${name})
  # Some start processes of their own.
  string(REPLACE ";" " " _launcher "${MPIEXEC_EXECUTABLE};${_mpi_flags};${MPIEXEC_NUMPROC_FLAG}")
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1;SHARDFFT_TEST_LAUNCHER=${_launcher}")
  if(name MATCHES "${_long}")
    set_tests_properties(${name} PROPERTIES COST 9)  # more than any number of ranks below
  endif()
endfunction()

function(shardfft_mpi_test name source)
  shardfft_test_program(${name} ${source})
  foreach(ranks ${SHARDFFT_TEST_RANKS})
    if(ranks GREATER 4 AND NOT SHARDFFT_TEST_ALL_RANKS AND NOT name MATCHES "${_many_ranks}")
      continue()
    endif()
    set(processors 2)
    if(ranks EQUAL 1 OR name MATCHES "${_waiting}")
      set(processors 1)
    endif()
    add_test(NAME ${name}_${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${_mpi_flags}
      $<TARGET_FILE:${name}>)
    # The longest first, where ctest has not measured them yet, so that those of one process fill the gaps.
    # More ranks than cores: those that wait should give theirs to the others (Open MPI is told by a flag).
    set_tests_properties(${name}_${ranks} PROPERTIES TIMEOUT ${_longest} PROCESSORS ${processors} COST ${ranks}
      ENVIRONMENT "MPIR_CVAR_POLLS_BEFORE_YIELD=1;OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1")
  endforeach()
endfunction()

# shardfft_apart_test(NAME HOW RANKS): an MPI test program once more, with ranks in namespaces of their own.
function(shardfft_apart_test name how ranks)
  if(NOT TARGET ${name})
    return()
  endif()
  string(REPLACE ";" " " _launcher "${MPIEXEC_EXECUTABLE};${_mpi_flags};${MPIEXEC_NUMPROC_FLAG}")
  add_test(NAME ${name}_apart_${how}_${ranks} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/apart.sh ${how} ${ranks} $<TARGET_FILE:${name}>)
  set_tests_properties(${name}_apart_${how}_${ranks} PROPERTIES TIMEOUT 300 PROCESSORS 2 SKIP_RETURN_CODE 77
    ENVIRONMENT "LAUNCHER=${_launcher};OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1")
endfunction()
