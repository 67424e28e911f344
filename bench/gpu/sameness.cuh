#pragma once
#include "common.cuh"

namespace bench {

/// Numbers of 8 bytes in which b is not a, bit by bit, and the first one of them.
static __global__ void sameness_kernel(const std::uint64_t* a, const std::uint64_t* b, std::size_t count,
                                       unsigned long long* found) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step)
    if (a[i] != b[i]) {
      atomicAdd(found, 1ull);
      atomicMin(found + 1, static_cast<unsigned long long>(i));
    }
}

/// Whether an array of the current device holds the same bits as when keep() was called.
class Sameness {
 public:
  Sameness(const void* data, std::size_t bytes) : data_(data), bytes_(bytes) { CHECK(cudaMalloc(&kept_, bytes + 16)); }
  ~Sameness() { cudaFree(kept_); }
  Sameness(const Sameness&) = delete;
  Sameness& operator=(const Sameness&) = delete;
  void keep() { CHECK(cudaMemcpy(kept_, data_, bytes_, cudaMemcpyDeviceToDevice)); }

  /// Prints where not.
  bool holds(const char* driver, int call, int rank) {
    const Difference difference = compare();
    if (difference.count == 0) return true;
    line("\"driver\":\"%s\",\"what\":\"difference\",\"call\":%d,\"rank\":%d,\"numbers\":%llu,\"first\":%llu", driver,
         call, rank, difference.count, difference.first);
    return false;
  }

 private:
  struct Difference {
    unsigned long long count, first;
  };
  Difference compare() {
    auto* const found = reinterpret_cast<unsigned long long*>(static_cast<char*>(kept_) + bytes_);
    Difference difference{0, ~0ull};
    CHECK(cudaMemcpy(found, &difference, sizeof difference, cudaMemcpyHostToDevice));
    sameness_kernel<<<1024, 256>>>(static_cast<const std::uint64_t*>(data_), static_cast<const std::uint64_t*>(kept_),
                                   bytes_ / 8, found);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&difference, found, sizeof difference, cudaMemcpyDeviceToHost));
    return difference;
  }

  const void* data_;
  std::size_t bytes_;
  void* kept_ = nullptr;
};

}  // namespace bench
