# The part of the library that SHARDFFT_GPU selects: a clear error, the GPU code with CUDA, or with the stand-in.
set(_gpu_choices OFF CUDA STANDIN)
if(NOT SHARDFFT_GPU IN_LIST _gpu_choices)
  message(FATAL_ERROR "SHARDFFT_GPU is OFF, CUDA or STANDIN, not '${SHARDFFT_GPU}'")
endif()
file(GLOB SHARDFFT_GPU_SOURCES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
  src/device/*.cpp src/gpu/*.cpp src/gpu/*/*.cpp)
list(FILTER SHARDFFT_GPU_SOURCES EXCLUDE REGEX "^src/gpu/move/nccl")
# The line kernels' headers as text: the same source is compiled here and, for other lengths, when a plan is made.
set(_kernel_headers device/line_checks.hpp device/line_cut.hpp device/line_factors.hpp
  device/plane_cut.hpp)
foreach(_header butterfly.cuh complex.cuh kernel_pass.hpp kernel_planes.hpp line_factors.cuh line_fft.cuh line_sums.cuh
    pass_kernel.cuh pass_places.cuh plain_kernel.cuh plane_feeder.cuh plane_kernel.cuh plane_rows.cuh shuffle.cuh tile_fetch.cuh)
  list(APPEND _kernel_headers device/cuda/lines/${_header})
endforeach()
# Those of operators whose text users give.
set(_operator_headers device/factor_limits.hpp device/cuda/factors.cuh device/cuda/text_factors.cuh device/cuda/walk.cuh)
list(APPEND _kernel_headers ${_operator_headers})
set(_kernel_sources ${CMAKE_CURRENT_BINARY_DIR}/kernel_sources.cpp)
list(TRANSFORM _kernel_headers PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/ OUTPUT_VARIABLE _kernel_files)
add_custom_command(OUTPUT ${_kernel_sources} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DOUT=${_kernel_sources} -DROOT=${CMAKE_CURRENT_SOURCE_DIR}/src
    "-DFILES=${_kernel_headers}" -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${_kernel_files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake)
# Their compiler needs no device: the stand-in has it too if there is a CUDA toolkit.
find_package(CUDAToolkit 12 QUIET)
set(_kernel_compiler jit nvrtc compile_apart compile_kernels)
list(TRANSFORM _kernel_compiler REPLACE "(.+)" "src/device/cuda/lines/\\1.cpp")
list(APPEND _kernel_compiler src/device/cuda/operators/factor_code.cpp ${_kernel_sources})
if(CUDAToolkit_FOUND)
  set_property(SOURCE src/device/cuda/lines/nvrtc.cpp PROPERTY INCLUDE_DIRECTORIES ${CUDAToolkit_INCLUDE_DIRS})
  # The program that does so in processes of its own. Libraries look for it in the folder shardfft/ beside them.
  if(SHARDFFT_TESTS OR NOT SHARDFFT_GPU STREQUAL "OFF")
    add_executable(shardfft_compiler src/device/cuda/compiler/main.cpp src/device/cuda/lines/nvrtc.cpp)
    set_target_properties(shardfft_compiler PROPERTIES OUTPUT_NAME kernel-compiler
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shardfft)
    target_include_directories(shardfft_compiler PRIVATE src include)
    target_compile_options(shardfft_compiler PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
    target_link_libraries(shardfft_compiler PRIVATE ${CMAKE_DL_LIBS})
  endif()
endif()

# The stand-in: fake devices in host memory (src/device/standin). Without a GPU, tests of GPU plans link it.
find_package(Threads REQUIRED)
file(GLOB _standin_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} src/device/standin/*.cpp)
# Its names are those of its classes: in one file with others they would be those of the interface too.
set_source_files_properties(src/device/standin/runtime.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
shardfft_together(SHARDFFT_GPU_SOURCES)
if(CUDAToolkit_FOUND)
  list(FILTER _standin_sources EXCLUDE REGEX "^src/device/standin/compile_kernels")
endif()
shardfft_together(_standin_sources)
if(CUDAToolkit_FOUND)
  list(APPEND _standin_sources ${_kernel_compiler})
endif()
if(SHARDFFT_GPU STREQUAL "STANDIN")
  add_library(shardfft_gpu_objects OBJECT ${SHARDFFT_GPU_SOURCES} ${_standin_sources})
elseif(SHARDFFT_GPU STREQUAL "OFF")
  add_library(shardfft_gpu_objects OBJECT src/api/gpu_missing.cpp)
  if(SHARDFFT_TESTS)
    add_library(shardfft_standin_objects OBJECT ${SHARDFFT_GPU_SOURCES} ${_standin_sources})
    shardfft_objects_need(shardfft_standin_objects)
  endif()
endif()

# CUDA: kernels, the runtime, cuFFT; NCCL if it is found.
if(SHARDFFT_GPU STREQUAL "CUDA")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # one for the library and the programs that link it
  enable_language(CUDA)
  # As two words: compiler caches know these folders then as such, whose names change nothing in the result.
  set(CMAKE_INCLUDE_SYSTEM_FLAG_CUDA "-isystem ")
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # compilers newer than this CMake
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  find_package(CUDAToolkit 12 REQUIRED)
  file(GLOB _cuda_sources CONFIGURE_DEPENDS src/device/cuda/*.cpp src/device/cuda/*.cu
    src/device/cuda/lines/*.cpp src/device/cuda/lines/*.cu src/device/cuda/operators/*.cpp
    src/device/cuda/operators/*.cu)
  # Arithmetic that the stand-in shares.
  set_property(SOURCE src/device/cuda/cosine.cu src/device/cuda/fields.cu src/device/cuda/sums.cu PROPERTY COMPILE_OPTIONS --expt-relaxed-constexpr)
  add_library(shardfft_gpu_objects OBJECT ${SHARDFFT_GPU_SOURCES} ${_cuda_sources} ${_kernel_sources})
  set_target_properties(shardfft_gpu_objects PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  set(SHARDFFT_GPU_LIBRARIES CUDA::cudart CUDA::cufft ${CMAKE_DL_LIBS})
  find_package(NCCL)
  if(NCCL_FOUND)
    file(GLOB _nccl_sources CONFIGURE_DEPENDS src/gpu/move/nccl*.cpp)
    target_sources(shardfft_gpu_objects PRIVATE ${_nccl_sources})
    set_source_files_properties(src/gpu/move/exchange.cpp PROPERTIES COMPILE_DEFINITIONS SHARDFFT_HAVE_NCCL)
    list(APPEND SHARDFFT_GPU_LIBRARIES NCCL::nccl)
  endif()
  target_link_libraries(shardfft_gpu_objects PRIVATE ${SHARDFFT_GPU_LIBRARIES})
endif()
shardfft_objects_need(shardfft_gpu_objects)
