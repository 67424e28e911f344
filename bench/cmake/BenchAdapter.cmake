# bench_adapter(NAME SOURCES file... LIBRARIES target... INCLUDES folder... DEFINITIONS macro...): the driver bench-NAME.
# bench_missing(NAME WHY): says why NAME is not built, here and to `shardfft_bench libraries`.
# bench_write_manifest(): the list of both, read by the harness.
set_property(GLOBAL PROPERTY bench_manifest "")

function(bench_adapter name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;INCLUDES;DEFINITIONS" ${ARGN})
  set(target bench-${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE bench_native ${ARG_LIBRARIES})
  target_include_directories(${target} PRIVATE ${ARG_INCLUDES})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  # The driver's own wrappers answer to all that a Fortran library calls: a linker that leaves out symbols that nobody seems to need
  # would leave out the functions behind them.
  if("MPI::MPI_Fortran" IN_LIST ARG_LIBRARIES AND NOT APPLE)
    target_link_options(${target} PRIVATE "LINKER:--no-as-needed")
  endif()
  # Libraries that are loaded, not linked, find the driver's wrappers of MPI by its exported symbols.
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin ENABLE_EXPORTS ON)
  set_property(GLOBAL APPEND PROPERTY bench_manifest "    \"${name}\": {\"driver\": \"${target}\"}")
  message(STATUS "bench: ${target}")
endfunction()

function(bench_missing name why)
  set_property(GLOBAL APPEND PROPERTY bench_manifest "    \"${name}\": {\"missing\": \"${why}\"}")
  message(STATUS "bench: no bench-${name}: ${why}")
endfunction()

function(bench_write_manifest)
  get_property(lines GLOBAL PROPERTY bench_manifest)
  list(JOIN lines ",\n" text)
  file(WRITE ${CMAKE_BINARY_DIR}/bin/bench-manifest.json "{\n  \"schema\": 1,\n  \"libraries\": {\n${text}\n  }\n}\n")
endfunction()
