# The libraries that are made of the objects.

# The library that src/local/mkl.cpp loads is empty: it needs oneMKL's libraries, and names their folder. That may lie below the sources,
# as a virtual environment often does, and CMake takes no such folder from the link line.
if(MKLSequential_FOUND)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shardfft_mkl.c CONTENT "extern int shardfft_mkl;\nint shardfft_mkl;\n")
  add_library(shardfft_mkl MODULE ${PROJECT_BINARY_DIR}/shardfft_mkl.c)
  target_link_libraries(shardfft_mkl PRIVATE MKL::sequential)
  cmake_path(GET MKL_core_LIBRARY PARENT_PATH _mkl_folder)
  set_target_properties(shardfft_mkl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    INSTALL_RPATH "$ORIGIN;${_mkl_folder}")
endif()

# shardfft_library(NAME TYPE OBJECT-TARGET...): one of them; TYPE is SHARED, STATIC, or "" for the choice of BUILD_SHARED_LIBS.
function(shardfft_library target type)
  set(objects ${ARGN})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${target} ${type} ${objects})
  shardfft_common(${target})
  target_link_libraries(${target} PRIVATE Threads::Threads ${SHARDFFT_GPU_LIBRARIES})
  foreach(beside shardfft_compiler shardfft_mkl)
    if(TARGET ${beside})
      add_dependencies(${target} ${beside})
    endif()
  endforeach()
  # Programs that link an archive load oneMKL themselves; those of this project find it by CMAKE_BUILD_RPATH.
  get_target_property(is ${target} TYPE)
  if(TARGET shardfft_mkl AND is STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} INTERFACE $<INSTALL_INTERFACE:-Wl,-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}>
      $<$<NOT:$<BOOL:${PROJECT_IS_TOP_LEVEL}>>:$<BUILD_INTERFACE:-Wl,-rpath,${PROJECT_BINARY_DIR}>>)
  endif()
endfunction()

# The library. Minor versions may change the interface until 1.0.
set(_objects shardfft_loops shardfft_objects shardfft_gpu_objects)
shardfft_library(shardfft "" ${_objects})
add_library(shardfft::shardfft ALIAS shardfft)
set_target_properties(shardfft PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(shardfft::c ALIAS shardfft)  # for programs in C alone
if(BUILD_SHARED_LIBS)
  # It shows the declarations of the public headers, and nothing else.
  set(_symbols ${CMAKE_CURRENT_LIST_DIR}/symbols.map)
  target_link_options(shardfft PRIVATE -Wl,--version-script=${_symbols})
  set_target_properties(shardfft PROPERTIES LINK_DEPENDS ${_symbols})
  shardfft_library(shardfft_static STATIC ${_objects})
  set_target_properties(shardfft_static PROPERTIES OUTPUT_NAME shardfft EXPORT_NAME static)
  add_library(shardfft::static ALIAS shardfft_static)
else()
  add_library(shardfft::static ALIAS shardfft)
endif()

# Tests link these: they reach into the library, so that these hide nothing.
if(SHARDFFT_TESTS)
  shardfft_library(shardfft_whole SHARED ${_objects})
  if(TARGET shardfft_standin_objects)
    shardfft_library(shardfft_standin SHARED shardfft_loops shardfft_objects shardfft_standin_objects)
  endif()
endif()
