#pragma once
// The sum of one number of each thread of a block.
#include "device/cuda/walk.cuh"

namespace shardfft::device {

/// All threads of the block must call it, and all get the result. `shared`: one number a thread, whose old content is
/// no longer needed.
template <class T>
__device__ T sum_of_block(T number, T* shared) {
  __syncthreads();  // slower threads may still read the old content
  shared[threadIdx.x] = number;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  __syncthreads();
  return shared[0];
}

}  // namespace shardfft::device
