#pragma once
// Helpers of kernels that touch every element of an array once. Kernels that are compiled at run time include it too.
#ifndef __CUDACC_RTC__
#include <algorithm>

#include "device/cuda/vendor.hpp"
#include "device/facts.hpp"
#include "shardfft/layout.hpp"
#include "tune/defaults.hpp"
#endif

namespace shardfft::device {

constexpr int threads = 256, walk_axes = 10;

template <class T>
struct Complex {
  T re, im;
};

/// Calls visit(i) for all i below `count`, by all threads of the grid.
template <class Visit>
__device__ void for_all(long long count, Visit visit) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) visit(i);
}

/// A piece as the kernels read it. Axes are sorted by their stride in memory, so that neighbouring threads touch
/// neighbouring numbers in any order of the axes; `axis` has the state's number of each.
struct Walk {
  int axes = 0;
  long long count[walk_axes], first[walk_axes], step[walk_axes], stride[walk_axes];
  int axis[walk_axes];
  long long offset = 0, elements = 0;
};

#ifndef __CUDACC_RTC__
static_assert(walk_axes == max_axes);

inline unsigned blocks_for(long long count) {
  const long long most = static_cast<long long>(current_facts().multiprocessors) * gpu_defaults().pointwise_blocks;
  return static_cast<unsigned>(std::clamp<long long>((count + threads - 1) / threads, 1, most));
}

inline Walk walk_of(const Piece& piece) {
  Walk walk;
  walk.axes = piece.set.axes;
  walk.offset = piece.offset;
  walk.elements = piece.set.count();
  for (int a = 0; a < walk.axes; ++a) walk.axis[a] = a;
  const auto& strides = piece.stride;
  std::stable_sort(walk.axis, walk.axis + walk.axes, [&](int a, int b) {
    return strides[static_cast<std::size_t>(a)] > strides[static_cast<std::size_t>(b)];
  });
  for (int i = 0; i < walk.axes; ++i) {
    const auto a = static_cast<std::size_t>(walk.axis[i]);
    walk.count[i] = piece.set.axis[a].count;
    walk.first[i] = piece.set.axis[a].first;
    walk.step[i] = piece.set.axis[a].stride;
    walk.stride[i] = strides[a];
  }
  return walk;
}
#endif

/// Place in memory of the i-th point of the first `axes` axes; index[a] becomes its index along axis a of the state.
inline __device__ long long locate(const Walk& walk, long long i, long long* index, int axes) {
  long long place = walk.offset;
  for (int a = axes - 1; a >= 0; --a) {
    const long long n = walk.count[a], at = i % n;
    i /= n;
    place += at * walk.stride[a];
    index[walk.axis[a]] = walk.first[a] + at * walk.step[a];
  }
  return place;
}

inline __device__ long long locate(const Walk& walk, long long i, long long* index) {
  return locate(walk, i, index, walk.axes);
}

}  // namespace shardfft::device
