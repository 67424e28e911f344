#pragma once
// Numbers of other lanes. Compilers for AMD's GPUs, which have 64 lanes, know no mask of the calling lanes.
#ifndef __CUDACC_RTC__
#include "device/cuda/vendor.hpp"
#endif

namespace shardfft::device::lines {

/// The number of the lane `step` further, of `Width` in a row; the lanes of `mask` call it, in their warp of 32.
template <int Width = 32>
__device__ __forceinline__ double of_lane_after([[maybe_unused]] unsigned mask, double x, unsigned step) {
#ifdef __HIP__
  return __shfl_down(x, step, Width);
#else
  return __shfl_down_sync(mask, x, step, Width);
#endif
}

/// The number of the first lane of a warp; all lanes call it.
template <class T>
__device__ __forceinline__ T of_first_lane(T x) {
#ifdef __HIP__
  return __shfl(x, 0, 32);
#else
  return __shfl_sync(~0U, x, 0);
#endif
}

}  // namespace shardfft::device::lines
