#pragma once
// Helpers for calls of the CUDA runtime or driver. For the files that implement device/runtime.hpp.
#include <cuda.h>

#include "device/cuda/vendor.hpp"
#include "device/runtime.hpp"

namespace shardfft::device {

inline cudaStream_t stream_of(StreamHandle stream) { return static_cast<cudaStream_t>(stream); }

/// A function of the driver, found by the runtime: the driver is not linked.
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
