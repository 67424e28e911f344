#pragma once
// One number of each thread of a block, joined.
#include "device/cuda/walk.cuh"

namespace shardfft::device {

/// All threads of the block must call it, and all get the result. `shared`: one number a thread, whose old content is
/// no longer needed.
template <class T, class Join>
__device__ T join_block(T number, T* shared, const Join& join) {
  __syncthreads();  // slower threads may still read the old content
  shared[threadIdx.x] = number;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half)
      shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  __syncthreads();
  return shared[0];
}

template <class T>
__device__ T sum_of_block(T number, T* shared) {
  return join_block(number, shared, [](T a, T b) { return a + b; });
}

}  // namespace shardfft::device
