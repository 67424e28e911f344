# `cmake --install` and what a user's find_package(shardfft) reads.
option(SHARDFFT_INSTALL "Install the library, its headers and its CMake package" ${PROJECT_IS_TOP_LEVEL})
if(NOT SHARDFFT_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shardfft)
install(TARGETS shardfft EXPORT shardfft-targets COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET shardfft_compiler AND NOT SHARDFFT_GPU STREQUAL "OFF")
  install(TARGETS shardfft_compiler RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/shardfft COMPONENT development)
endif()
if(TARGET shardfft_static)
  # Exported on its own: only a program that links it needs what the library is made of.
  install(TARGETS shardfft_static EXPORT shardfft-static COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT shardfft-static NAMESPACE shardfft:: DESTINATION ${_package_dir} COMPONENT development)
endif()
if(TARGET shardfft_fortran)
  # Modules are for one compiler: not among the headers.
  set(_modules ${CMAKE_INSTALL_LIBDIR}/shardfft/fortran)
  target_include_directories(shardfft_fortran INTERFACE $<INSTALL_INTERFACE:${_modules}>)
  install(TARGETS shardfft_fortran EXPORT shardfft-fortran COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/bindings/fortran/modules/ DESTINATION ${_modules} COMPONENT development)
  install(EXPORT shardfft-fortran NAMESPACE shardfft:: DESTINATION ${_package_dir} COMPONENT development)
endif()
install(DIRECTORY include/shardfft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT shardfft-targets NAMESPACE shardfft:: DESTINATION ${_package_dir} COMPONENT development)

# Libraries that this build uses where it found them; the user's build must find them too.
set(SHARDFFT_OPTIONAL_PACKAGES)
set(_packages FFTW MKLSequential CBLAS)
if(SHARDFFT_GPU STREQUAL "CUDA")
  list(APPEND _packages CUDAToolkit NCCL)
endif()
foreach(package ${_packages})
  if(${package}_FOUND)
    list(APPEND SHARDFFT_OPTIONAL_PACKAGES ${package})
  endif()
endforeach()
set(SHARDFFT_IS_SHARED OFF)
if(BUILD_SHARED_LIBS)
  set(SHARDFFT_IS_SHARED ON)
endif()
set(SHARDFFT_BUILT_WITH_MKL)
if(MKLSequential_FOUND)
  cmake_path(GET MKL_INCLUDE_DIR PARENT_PATH SHARDFFT_BUILT_WITH_MKL)
endif()
# Told to benchmarks, whose records name what they measured. A repository around these sources has other revisions.
set(SHARDFFT_REVISION)
if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git describe --always --dirty --tags --abbrev=12 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE SHARDFFT_REVISION ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(GLOB _find_modules CONFIGURE_DEPENDS cmake/Find*.cmake)
configure_package_config_file(cmake/shardfft-config.cmake.in ${PROJECT_BINARY_DIR}/shardfft-config.cmake
  INSTALL_DESTINATION ${_package_dir})
# Minor versions may change the interface until 1.0.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/shardfft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES third_party/nlohmann_json/LICENSE.MIT DESTINATION ${CMAKE_INSTALL_DOCDIR}
  RENAME LICENSE.nlohmann_json COMPONENT development)
# For builds without CMake; MPI comes with its own compilers. What a program that links the archive needs is private.
set(_needed)
if(SHARDFFT_FFTW)
  list(APPEND _needed FFTW::double FFTW::float)
endif()
if(MKLSequential_FOUND)
  list(APPEND _needed MKL::sequential)
elseif(CBLAS_FOUND)
  list(APPEND _needed ${CBLAS_LIBRARIES})
endif()
include(cmake/pkgconfig.cmake)
shardfft_link_flags(SHARDFFT_PRIVATE_LIBS ${_needed} ${SHARDFFT_GPU_LIBRARIES} OpenMP::OpenMP_CXX Threads::Threads stdc++ m)
list(JOIN SHARDFFT_PRIVATE_LIBS " " SHARDFFT_PRIVATE_LIBS)
file(RELATIVE_PATH _pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/shardfft.pc.in ${PROJECT_BINARY_DIR}/shardfft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/shardfft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/shardfft-config.cmake ${PROJECT_BINARY_DIR}/shardfft-config-version.cmake
  ${_find_modules} DESTINATION ${_package_dir} COMPONENT development)
