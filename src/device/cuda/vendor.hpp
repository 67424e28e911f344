#pragma once
// The runtime of the GPUs' vendor, under CUDA's names. Kernels that suit any GPU include this file, and are compiled
// for AMD's GPUs as well (tools/compile_hip.sh).
#include "base/check.hpp"

#if defined(__HIP__)
#include <hip/hip_runtime.h>

using cudaError_t = hipError_t;
using cudaStream_t = hipStream_t;
inline constexpr cudaError_t cudaSuccess = hipSuccess;
inline constexpr cudaError_t cudaErrorMemoryAllocation = hipErrorOutOfMemory;
inline cudaError_t cudaGetLastError() { return hipGetLastError(); }
inline const char* cudaGetErrorString(cudaError_t status) { return hipGetErrorString(status); }
#else
#include <cuda_runtime.h>
#endif

namespace shardfft::device {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  fail(status == cudaErrorMemoryAllocation ? Status::out_of_memory : Status::backend_failure, what, ": ",
       cudaGetErrorString(status));
}

}  // namespace shardfft::device
