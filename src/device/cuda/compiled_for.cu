// Asks the runtime about a kernel that does nothing.
#include "device/cuda/calls.hpp"
#include "device/cuda/compiled_for.hpp"

namespace shardfft::device {
namespace {

__global__ void nothing() {}

}  // namespace

int compiled_for() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, nothing), "cudaFuncGetAttributes");
  return attributes.ptxVersion;
}

}  // namespace shardfft::device
