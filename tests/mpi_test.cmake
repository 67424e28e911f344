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

# The numbers of ranks of the files of MPI areas, by their cases; all others run with 1, 2, 3 and 4.
#
# With 6 and 8 ranks there are grids that fewer do not have (2 x 3, 2 x 4, 2 x 2 x 2), groups of several ranks in both
# directions, and more ranks than planes.
set(_many_ranks "^mpi_(exchange|reshape|cannon|random|halo|gpu_test_(exchange|slab|plan))|^mpi_plan_test_(transforms|options|gather|communicators)")
# These need another rank than the first at most: messages about arguments, texts of interfaces and tables, numbers
# that are written down. They run with SHARDFFT_TEST_ANY_RANKS.
set(_any_ranks "^mpi_plan_test_(bad_input|literal_values|misuse|operator_walls|option_table|random_texts|side|typed_calls)$")
string(APPEND _any_ranks "|^mpi_gpu_test_(bad_input|option_table|random_texts|standin_accounts)$|^mpi_fortran_test_errors$")

# Files whose cases make ranks or devices fail, limit or fork them, wait by the clock, or take most of the memory: their
# failures break nothing else, and others run beside those that wait. Tests on GPUs change the stand-in's properties.
set(_alone "^mpi_(faults_test_host_faults|gpu_test_.*|host_test_(limits|refused))$")
string(APPEND _alone "|^mpi_(plan_test_(beside_others|large_arrays|waiting)|reshape_test_failures)$")
# Files that put functions of their own in the place of MPI's, as others of their area do, or bring a main() of their own:
# each of them is a program.
set(_own_program "^mpi_(exchange_test_post_order|faults_test_host_faults|gpu_test_failures|plan_test_run_trial)$")
string(APPEND _own_program "|^threads_test_ends$")
set(_waiting "^mpi_(faults_test_host_faults|gpu_test_failures|plan_test_waiting)_[0-9]+$")

# Seconds after which a test is taken to hang; sanitizers make tests many times as slow.
set(_longest 900)
if(SHARDFFT_SANITIZE)
  set(_longest 1800)
endif()

# Serial tests that take longest. They begin first: at the end nothing is left to run beside them.
set(_long "^(gpu_test_slab|memory_test_peak)$")

# Arrays of serial tests on GPUs come and go by megabytes. These programs keep freed memory, up to 256 MiB: else the
# kernel clears the same pages again each time, a third of all that it does for some of them. Nor do they keep small
# pieces apart: glibc would join all of them whenever a large array comes or goes.
set(_joined "GLIBC_TUNABLES=glibc.malloc.mxfast=0")
set(_keeping "MALLOC_MMAP_MAX_=0;MALLOC_TRIM_THRESHOLD_=268435456;MALLOC_TOP_PAD_=67108864;${_joined}")

# shardfft_suites(OUT FILE...): the names of the test suites of these files.
function(shardfft_suites out)
  set(names)
  foreach(file ${ARGN})
    file(STRINGS ${file} lines REGEX "^(TYPED_)?TEST(_[FP])?\\(")
    if(NOT lines)
      message(FATAL_ERROR "no test begins a line of ${file}")
    endif()
    list(TRANSFORM lines REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+),.*" "\\1")
    list(APPEND names ${lines})
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# shardfft_test(NAME PROGRAM FILES COMMAND-WORD...): one test of ctest, the suites of FILES of that program, which are its
# labels: `ctest -L '^Waiting$'` runs the tests that hold that suite, `ctest --print-labels` lists all of them.
function(shardfft_test name program files)
  shardfft_suites(suites ${files})
  set(patterns ${suites})
  list(TRANSFORM patterns REPLACE "(.+)" "\\1.*:*/\\1.*:\\1/*:*/\\1/*")
  list(JOIN patterns ":" filter)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tools/seconds.sh program ${name} ${ARGN} $<TARGET_FILE:${program}> --gtest_filter=${filter})
  set_tests_properties(${name} PROPERTIES LABELS "${suites}" TIMEOUT ${_longest})
  # Each test begins to count the GPUs at another one: those of one process and of two would all be on the first ones.
  if(SHARDFFT_TEST_GPUS)
    get_property(gpus GLOBAL PROPERTY shardfft_gpus_of_next_test)
    if(NOT gpus)
      set(gpus ${SHARDFFT_TEST_GPUS})
    endif()
    list(JOIN gpus "," visible)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION "CUDA_VISIBLE_DEVICES=set:${visible}")
    list(POP_FRONT gpus first)
    set_property(GLOBAL PROPERTY shardfft_gpus_of_next_test ${gpus} ${first})
  endif()
endfunction()

# Programs that read JSON.
set(_reads_json "^(base|mpi_plan|mpi_trace)$")

# shardfft_test_program(NAME FILE...): the program NAME_tests. Tests of GPU plans link the library with the stand-in, unless
# the library itself has GPUs or the stand-in. These libraries are shared and hide nothing.
function(shardfft_test_program name)
  set(optimise -O1)
  if(SHARDFFT_SANITIZE AND NOT name MATCHES "^gpu$")
    set(optimise -O0)
  endif()
  add_executable(${name}_tests ${ARGN})
  set(library shardfft_whole)
  if(name MATCHES "^(mpi_)?gpu" AND TARGET shardfft_standin)
    set(library shardfft_standin)
  endif()
  set(main GTest::gtest_main)
  if(name MATCHES "^mpi_")
    set(main shardfft_test_main${optimise})
  endif()
  target_link_libraries(${name}_tests PRIVATE ${main} shardfft_test_support ${library}
    "$<$<BOOL:${SHARDFFT_FFTW}>:FFTW::double;FFTW::float>")  # which some call themselves, as applications may
  if(name MATCHES "${_reads_json}")
    include(${PROJECT_SOURCE_DIR}/cmake/json.cmake)
    target_link_libraries(${name}_tests PRIVATE nlohmann_json::nlohmann_json)
  endif()
  target_link_options(${name}_tests PRIVATE ${SHARDFFT_TEST_LINK})
  target_compile_options(${name}_tests PRIVATE -Wall -Wextra ${optimise}
    $<TARGET_PROPERTY:shardfft,INTERFACE_COMPILE_OPTIONS> ${SHARDFFT_TEST_CHECKS})
  # Headers that all of them include are most of the code to compile.
  set_target_properties(${name}_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF
    UNITY_BUILD ${SHARDFFT_TESTS_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
  target_precompile_headers(${name}_tests REUSE_FROM shardfft_test_main${optimise})
endfunction()

# The times that these compare are many times as long beside others.
set(_by_clock "^gpu_test_fastest_fft$")

# Serial programs start at once: each file is a test, so that two run side by side.
function(shardfft_serial_tests area)
  # Some start processes of their own.
  string(REPLACE ";" " " launcher "${MPIEXEC_EXECUTABLE};${_mpi_flags};${MPIEXEC_NUMPROC_FLAG}")
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WE)
    set(program ${area})
    if("${area}_${name}" MATCHES "${_own_program}")
      set(program ${area}_${name})
    endif()
    shardfft_test(${area}_${name} ${program}_tests ${file})
    set(environment "OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1;SHARDFFT_TEST_LAUNCHER=${launcher}")
    if(area STREQUAL "gpu")
      list(APPEND environment ${_keeping})
    endif()
    set_tests_properties(${area}_${name} PROPERTIES ENVIRONMENT "${environment}")
    if("${area}_${name}" MATCHES "${_by_clock}")
      set_tests_properties(${area}_${name} PROPERTIES RUN_SERIAL ON)
    endif()
    if("${area}_${name}" MATCHES "${_long}")
      set_tests_properties(${area}_${name} PROPERTIES COST 9)  # more than any number of ranks below
    endif()
  endforeach()
endfunction()

# Starting ranks takes longer than most cases: files share a start if nothing forbids it.
function(shardfft_mpi_tests area)
  foreach(ranks ${SHARDFFT_TEST_RANKS})
    set(together)
    foreach(file ${ARGN})
      get_filename_component(name ${file} NAME_WE)
      set(name ${area}_${name})
      if(NOT SHARDFFT_TEST_ALL_RANKS AND ((ranks GREATER 4 AND NOT name MATCHES "${_many_ranks}") OR
          (name MATCHES "${_any_ranks}" AND NOT ranks IN_LIST SHARDFFT_TEST_ANY_RANKS)))
        continue()
      endif()
      if(name MATCHES "${_own_program}")
        shardfft_ranks_test(${name}_${ranks} ${name}_tests ${ranks} ${file})
      elseif(name MATCHES "${_alone}")
        shardfft_ranks_test(${name}_${ranks} ${area}_tests ${ranks} ${file})
      else()
        list(APPEND together ${file})
      endif()
    endforeach()
    if(together)
      shardfft_ranks_test(${area}_${ranks} ${area}_tests ${ranks} "${together}")
    endif()
  endforeach()
endfunction()

# The longest first, if ctest has not measured them yet, so that those of one process fill the gaps. More ranks than
# cores: those that wait should give theirs to the others (Open MPI is told by a flag). Two programs of up to 4 ranks side by
# side end sooner than one after the other, as one of them starts while the other runs; two of 8 take each other's time.
function(shardfft_ranks_test name program ranks files)
  math(EXPR processors "${ranks} / 2")
  if(ranks LESS 4)
    set(processors 2)
  endif()
  if(ranks EQUAL 1 OR name MATCHES "${_waiting}")
    set(processors 1)
  endif()
  set(environment "MPIR_CVAR_POLLS_BEFORE_YIELD=1;OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1")
  if(name MATCHES "^mpi_gpu_")
    list(APPEND environment ${_joined})
  endif()
  shardfft_test(${name} ${program} "${files}" ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${_mpi_flags})
  set_tests_properties(${name} PROPERTIES PROCESSORS ${processors} COST ${ranks}
    ENVIRONMENT "${environment}")
endfunction()

# shardfft_apart_test(AREA FILE HOW RANKS): the suites of a file once more, with ranks in namespaces of their own.
function(shardfft_apart_test area file how ranks)
  if(NOT ${area}/${file}.cpp IN_LIST _files_in_${area})
    return()
  endif()
  set(name ${area}_${file}_apart_${how}_${ranks})
  string(REPLACE ";" " " launcher "${MPIEXEC_EXECUTABLE};${_mpi_flags};${MPIEXEC_NUMPROC_FLAG}")
  shardfft_test(${name} ${area}_tests ${area}/${file}.cpp ${CMAKE_CURRENT_SOURCE_DIR}/apart.sh ${how} ${ranks})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS 2 SKIP_RETURN_CODE 77
    ENVIRONMENT "LAUNCHER=${launcher};OMP_WAIT_POLICY=passive;OPENBLAS_NUM_THREADS=1")
endfunction()
