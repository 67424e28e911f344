#pragma once
// What every call of the CUDA runtime or driver needs. For the files that implement device/runtime.hpp.
#include <cuda.h>
#include <cuda_runtime.h>

#include "base/check.hpp"
#include "device/runtime.hpp"

namespace shardfft::device {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  fail(status == cudaErrorMemoryAllocation ? Status::out_of_memory : Status::backend_failure, what, ": ",
       cudaGetErrorString(status));
}

inline cudaStream_t stream_of(StreamHandle stream) { return static_cast<cudaStream_t>(stream); }

/// A function of the driver, which is not linked: found by the runtime.
template <class Function>
Function* driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found),
        "cudaGetDriverEntryPointByVersion");
  if (found != cudaDriverEntryPointSuccess) fail(Status::unsupported, "the driver has no ", name);
  return reinterpret_cast<Function*>(entry);
}

}  // namespace shardfft::device
