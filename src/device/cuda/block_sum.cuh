#pragma once
// The sum of a number of each thread of a block.
#include "device/cuda/walk.cuh"

namespace shardfft::device {

/// All threads of the block call it, and all have the result. `shared`: one number a thread, of which nothing is needed
/// any more.
template <class T>
__device__ T sum_of_block(T number, T* shared) {
  __syncthreads();  // who is late still reads what was there
  shared[threadIdx.x] = number;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  __syncthreads();
  return shared[0];
}

}  // namespace shardfft::device
