// What the adapters of NVIDIA's FFT libraries share.
#pragma once

#include <cufftXt.h>

#include "../native/gpu/gpu_adapter.hpp"

namespace shardfft::bench {

inline std::string cufft_version_text() {
  int version = 0;
  cufftGetVersion(&version);
  return std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
         std::to_string(version % 100);
}

inline cufftType cufft_type(const Case& wanted, bool forward) {
  if (!wanted.real()) return wanted.single() ? CUFFT_C2C : CUFFT_Z2Z;
  if (forward) return wanted.single() ? CUFFT_R2C : CUFFT_D2Z;
  return wanted.single() ? CUFFT_C2R : CUFFT_Z2D;
}

class CufftHandle {
 public:
  CufftHandle() = default;
  CufftHandle(const CufftHandle&) = delete;
  CufftHandle& operator=(const CufftHandle&) = delete;
  ~CufftHandle() {
    if (made_) cufftDestroy(handle_);
  }
  void create() {
    BENCH_GPU_CHECK(cufftCreate(&handle_));
    made_ = true;
  }
  cufftHandle get() const { return handle_; }

 private:
  cufftHandle handle_ = 0;
  bool made_ = false;
};

// Memory that cuFFT spreads over the GPUs of a plan, in slabs along axis 0 (field) or axis 1 (spectrum), in place.
class CufftSpread {
 public:
  CufftSpread() = default;
  CufftSpread(const CufftSpread&) = delete;
  CufftSpread& operator=(const CufftSpread&) = delete;
  ~CufftSpread() {
    if (descriptor_) cufftXtFree(descriptor_);
  }
  void allocate(cufftHandle plan) { BENCH_GPU_CHECK(cufftXtMalloc(plan, &descriptor_, CUFFT_XT_FORMAT_INPLACE)); }
  // Tells cuFFT which side the values are of.
  void is(Side side) {
    descriptor_->subFormat = side == Side::field ? CUFFT_XT_FORMAT_INPLACE : CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  }
  void run(cufftHandle plan, int direction) {
    BENCH_GPU_CHECK(cufftXtExecDescriptor(plan, descriptor_, descriptor_, direction));
  }
  void* data(int place) const { return descriptor_->descriptor->data[place]; }

 private:
  cudaLibXtDesc* descriptor_ = nullptr;
};

// Slabs `index` of `parts`: planes of the field (rows of a real one padded for its spectrum), rows y of the spectrum.
inline Part cufft_field_slab(const Case& wanted, int parts, int index) {
  const auto planes = block(wanted.shape[0], parts, index);
  const auto row = wanted.real() ? 2 * wanted.spectrum()[2] : wanted.shape[2];
  Part part = packed_part({planes.lower, 0, 0}, {planes.count, wanted.shape[1], row});
  part.count[2] = wanted.shape[2];
  return part;
}
inline Part cufft_spectrum_slab(const Case& wanted, int parts, int index) {
  const auto rows = block(wanted.shape[1], parts, index);
  return packed_part({0, rows.lower, 0}, {wanted.shape[0], rows.count, wanted.spectrum()[2]});
}

}  // namespace shardfft::bench
