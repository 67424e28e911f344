# Libraries on GPUs, with BENCH_GPU=ON and a CUDA toolkit. Included by adapters/CMakeLists.txt.
set(bench_gpu_libraries cufft cufftxt cufftmp cudecomp heffte-gpu shardfft-gpu shardfft-group)
if(NOT BENCH_GPU)
  foreach(name ${bench_gpu_libraries})
    bench_missing(${name} "drivers for GPUs are built with -DBENCH_GPU=ON")
  endforeach()
  return()
endif()

enable_language(CUDA)
find_package(CUDAToolkit 12 REQUIRED)
if(NOT CMAKE_CUDA_ARCHITECTURES OR CMAKE_CUDA_ARCHITECTURES MATCHES "^(52|75)$")  # compilers' own defaults
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
add_library(bench_native_gpu STATIC native/gpu/gpu_adapter.cpp native/gpu/gpu_values.cu)
target_link_libraries(bench_native_gpu PUBLIC bench_native CUDA::cudart)
target_compile_options(bench_native_gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)
set_target_properties(bench_native_gpu PROPERTIES CUDA_STANDARD 17)  # some CMakes know no newer one for CUDA

bench_adapter(cufft SOURCES adapters/cufft.cpp LIBRARIES bench_native_gpu CUDA::cufft)
bench_adapter(cufftxt SOURCES adapters/cufftxt.cpp LIBRARIES bench_native_gpu CUDA::cufft)

# cuFFTMp's Python wheel or a part of NVIDIA's HPC SDK; CUFFTMP_ROOT names the folder of its include and lib, and
# NVSHMEM_ROOT that of NVSHMEM's host library if it lies elsewhere.
find_path(cufftmp_INCLUDE cufftMp.h HINTS ${CUFFTMP_ROOT}/include PATH_SUFFIXES cufftmp NO_DEFAULT_PATH)
find_library(cufftmp_LIBRARY NAMES cufftMp libcufftMp.so.12 libcufftMp.so.11 HINTS ${CUFFTMP_ROOT}/lib NO_DEFAULT_PATH)
find_library(cufftmp_NVSHMEM NAMES libnvshmem_host.so.3 nvshmem_host
  HINTS ${NVSHMEM_ROOT}/lib ${NVSHMEM_ROOT} ${CUFFTMP_ROOT}/lib ${CUFFTMP_ROOT}/../../nvshmem/lib)
if(cufftmp_INCLUDE AND cufftmp_LIBRARY AND cufftmp_NVSHMEM)
  bench_adapter(cufftmp SOURCES adapters/cufftmp.cpp INCLUDES ${cufftmp_INCLUDE}
    LIBRARIES bench_native_gpu ${cufftmp_LIBRARY} ${cufftmp_NVSHMEM} CUDA::cudart)
  # Its cufft.h must come before the toolkit's, which is another version.
  target_include_directories(bench-cufftmp BEFORE PRIVATE ${cufftmp_INCLUDE})
  get_filename_component(cufftmp_nvshmem_folder ${cufftmp_NVSHMEM} DIRECTORY)
  # An old-style run path serves the libraries that libcufftMp itself asks for.
  set_target_properties(bench-cufftmp PROPERTIES BUILD_RPATH "${CUFFTMP_ROOT}/lib;${cufftmp_nvshmem_folder}")
  target_link_options(bench-cufftmp PRIVATE -Wl,--disable-new-dtags)
else()
  bench_missing(cufftmp "cufftMp.h, libcufftMp and libnvshmem_host were not found (CUFFTMP_ROOT, NVSHMEM_ROOT)")
endif()

find_path(cudecomp_INCLUDE cudecomp.h HINTS ${CUDECOMP_ROOT}/include)
find_library(cudecomp_LIBRARY cudecomp HINTS ${CUDECOMP_ROOT}/lib)
if(cudecomp_INCLUDE AND cudecomp_LIBRARY)
  bench_adapter(cudecomp SOURCES adapters/cudecomp.cpp LIBRARIES bench_native_gpu ${cudecomp_LIBRARY} CUDA::cufft
    INCLUDES ${cudecomp_INCLUDE})
else()
  bench_missing(cudecomp "cudecomp.h and libcudecomp were not found (CUDECOMP_ROOT)")
endif()

# Looked for with heFFTe on CPUs: one package has both, or one of them.
if(TARGET Heffte::Heffte AND Heffte_CUDA_FOUND)
  bench_adapter(heffte-gpu SOURCES adapters/heffte_gpu.cpp LIBRARIES bench_native_gpu Heffte::Heffte CUDA::cufft
    DEFINITIONS SHARDFFT_BENCH_HEFFTE_VERSION="${Heffte_VERSION}")
else()
  bench_missing(heffte-gpu "the CMake package Heffte with its CUDA backend was not found")
endif()

# shardfft's plans on GPUs, of one process a GPU and of one process for all: inside the project's own build only.
if(SHARDFFT_GPU STREQUAL "CUDA")
  bench_adapter(shardfft-gpu SOURCES adapters/shardfft_gpu.cpp LIBRARIES bench_native_gpu shardfft::shardfft
    DEFINITIONS SHARDFFT_BENCH_VERSION="${shardfft_VERSION}")
  bench_adapter(shardfft-group SOURCES adapters/shardfft_group.cpp LIBRARIES bench_native_gpu shardfft::shardfft
    DEFINITIONS SHARDFFT_BENCH_VERSION="${shardfft_VERSION}")
else()
  foreach(name shardfft-gpu shardfft-group)
    bench_missing(${name} "the project was not built with SHARDFFT_GPU=CUDA")
  endforeach()
endif()
