#pragma once
// Helpers for calls of the CUDA runtime or driver. For the files that implement device/runtime.hpp.
#include <cuda.h>

#include <cstring>

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

/// Calls a function of the driver: driver_call<decltype(name)>("name", arguments...).
template <class Function, class... Arguments>
void driver_call(const char* name, Arguments... arguments) {
  const CUresult status = driver_function<Function>(name)(arguments...);
  if (status == CUDA_SUCCESS) return;
  fail(status == CUDA_ERROR_OUT_OF_MEMORY ? Status::out_of_memory : Status::backend_failure, name, ": CUDA error ",
       int{status});
}

/// Plain bytes of a name, and back.
template <class Name>
IpcHandle bytes_of(const Name& name) {
  static_assert(sizeof name <= sizeof(IpcHandle));
  IpcHandle bytes{};
  std::memcpy(bytes.data(), &name, sizeof name);
  return bytes;
}
template <class Name>
Name name_of(const IpcHandle& bytes) {
  Name name;
  std::memcpy(&name, bytes.data(), sizeof name);
  return name;
}

}  // namespace shardfft::device
