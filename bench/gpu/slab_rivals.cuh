#pragma once
// What NVIDIA's libraries take for the pair of slab_pair.
#include <cufftXt.h>

#include <string>
#include <vector>

#include "common.cuh"
#include "device/handles.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/slab/slab_shape.hpp"

namespace bench {

using namespace shardfft;
using shardfft::gpu::SlabShape;

/// The same pair by cuFFTXt, in place, spectrum left in its shuffled order: c2c only.
inline void run_xt(int repeats, const SlabShape& shape, const std::string& type) {
  cufftHandle plan;
  std::size_t work[16];
  std::vector<int> gpus;
  for (int g = 0; g < shape.ranks; ++g) gpus.push_back(g);
  CHECK(cufftCreate(&plan));
  CHECK(cufftXtSetGPUs(plan, shape.ranks, gpus.data()));
  const bool wide = shape.transform.precision == Precision::f64;
  CHECK(cufftMakePlan3d(plan, (int)shape.nx, (int)shape.ny, (int)shape.nz, wide ? CUFFT_Z2Z : CUFFT_C2C, work));
  cudaLibXtDesc* data = nullptr;
  CHECK(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE));
  std::uint64_t seed = 1;
  const double pair = time_all(
      shape.ranks, 3, repeats,
      [&] {
        ++seed;
        for (int g = 0; g < shape.ranks; ++g) {
          CHECK(cudaSetDevice(g));
          void* a = data->descriptor->data[g];
          const std::size_t bytes = data->descriptor->size[g];
          wide ? fill<double>(a, bytes / 8, 0, seed) : fill<float>(a, bytes / 4, 0, seed);
        }
      },
      [&] {
        CHECK(cufftXtExecDescriptor(plan, data, data, CUFFT_FORWARD));
        CHECK(cufftXtExecDescriptor(plan, data, data, CUFFT_INVERSE));
      });
  CHECK(cufftXtFree(data));
  CHECK(cufftDestroy(plan));
  line(
      "\"driver\":\"slab_pair\",\"library\":\"cufftxt\",\"shape\":[%lld,%lld,%lld],\"type\":\"%s\",\"gpus\":%d,\"pair_"
      "ms\":%.3f",
      (long long)shape.nx, (long long)shape.ny, (long long)shape.nz, type.c_str(), shape.ranks, pair);
}

/// cuFFT's own 3-D transform in place on one GPU.
inline void run_cufft(int repeats, const SlabShape& shape, const std::string& type) {
  CHECK(cudaSetDevice(0));
  device::VendorFftSpec spec;
  spec.precision = shape.transform.precision;
  spec.extents = {shape.nx, shape.ny, shape.nz};
  const device::VendorFft plan(spec);
  const device::Memory data = device::make_memory(shape.field_bytes(0));
  std::uint64_t seed = 1;
  const double pair = time_all(
      1, 3, repeats,
      [&] {
        const std::size_t bytes = shape.field_bytes(0);
        spec.precision == Precision::f64 ? fill<double>(data.get(), bytes / 8, 0, ++seed)
                                         : fill<float>(data.get(), bytes / 4, 0, ++seed);
      },
      [&] {
        plan.execute(data.get(), data.get(), Direction::forward, nullptr);
        plan.execute(data.get(), data.get(), Direction::backward, nullptr);
      });
  line(
      "\"driver\":\"slab_pair\",\"library\":\"cufft3d\",\"shape\":[%lld,%lld,%lld],\"type\":\"%s\",\"gpus\":1,\"pair_"
      "ms\":%.3f",
      (long long)shape.nx, (long long)shape.ny, (long long)shape.nz, type.c_str(), pair);
}

}  // namespace bench
