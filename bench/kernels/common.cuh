#pragma once
// What the CUDA probes share: checks, random fields, error norms.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "common.hpp"

#define CHECK(call)                                                                               \
  do {                                                                                            \
    const auto status_ = (call);                                                                  \
    if (status_ != 0) {                                                                           \
      std::printf("{\"error\":\"%s\",\"code\":%d,\"line\":%d}\n", #call, (int)status_, __LINE__); \
      std::exit(1);                                                                               \
    }                                                                                             \
  } while (0)

namespace bench {

/// A well-mixed number in [-0.5, 0.5) for every index and seed.
__host__ __device__ inline double noise(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t x = (index + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1342543DE82EF95ull;
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53 - 0.5;
}

template <class Real>
__global__ void fill_kernel(Real* a, std::size_t count, std::uint64_t first, std::uint64_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step)
    a[i] = static_cast<Real>(noise(first + i, seed));
}
/// Reals [first, first + count) of the field called `seed`.
template <class Real>
void fill(void* a, std::size_t count, std::uint64_t first, std::uint64_t seed, cudaStream_t stream = nullptr) {
  fill_kernel<<<2048, 256, 0, stream>>>(static_cast<Real*>(a), count, first, seed);
  CHECK(cudaGetLastError());
}

/// Rows of `row` reals, `a_pitch` apart in a and `row` apart in b's blocks of `run` reals that are `stride` apart.
template <class Real>
__global__ void difference_kernel(const Real* a, std::size_t row, std::size_t a_pitch, const Real* b, std::size_t count,
                                  std::size_t run, std::size_t stride, double* sums) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  double difference = 0, norm = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    const double want = b[i / run * stride + i % run], d = a[i / row * a_pitch + i % row] - want;
    difference += d * d;
    norm += want * want;
  }
  atomicAdd(sums, difference);
  atomicAdd(sums + 1, norm);
}

/// Sums of squares (difference, reference) on the current device.
class Norms {
 public:
  Norms() {
    CHECK(cudaMalloc(&sums_, 16));
    CHECK(cudaMemset(sums_, 0, 16));
  }
  ~Norms() { cudaFree(sums_); }
  Norms(const Norms&) = delete;
  Norms& operator=(const Norms&) = delete;
  double* device() { return sums_; }
  void add_to(double (&total)[2]) {
    double host[2];
    CHECK(cudaMemcpy(host, sums_, 16, cudaMemcpyDeviceToHost));
    total[0] += host[0];
    total[1] += host[1];
  }

 private:
  double* sums_ = nullptr;
};
/// ||a - b|| / ||b||; NaN counts as wrong.
inline double relative(const double (&total)[2]) { return std::sqrt(total[0] / total[1]); }

template <class Real>
double relative_difference(const void* a, const void* b, std::size_t count) {
  Norms norms;
  difference_kernel<<<1024, 256>>>(static_cast<const Real*>(a), count, count, static_cast<const Real*>(b), count, count,
                                   count, norms.device());
  CHECK(cudaGetLastError());
  double total[2] = {0, 0};
  norms.add_to(total);
  return relative(total);
}

inline void synchronize_all(int devices) {
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
}

/// Median wall time of body() between synchronisations of all devices; prepare() runs before each, untimed.
template <class Prepare, class Body>
double time_all(int devices, int warm, int repeats, Prepare prepare, Body body) {
  std::vector<double> times;
  for (int i = 0; i < warm + repeats; ++i) {
    prepare();
    synchronize_all(devices);
    const double begin = milliseconds();
    body();
    synchronize_all(devices);
    if (i >= warm) times.push_back(milliseconds() - begin);
  }
  return median(times);
}

inline void enable_peers(int devices) {
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    for (int q = 0; q < devices; ++q) {
      if (q == d) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(q, 0);
      if (status != cudaErrorPeerAccessAlreadyEnabled) CHECK(status);
      cudaGetLastError();
    }
  }
}

}  // namespace bench
