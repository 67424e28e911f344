// FFTW's two precisions under one name, so that an adapter is written once.
#pragma once

#include <dlfcn.h>
#include <fftw3.h>

#include <string>

#include "../native/case.hpp"

namespace shardfft::bench {

template <class Real>
struct FftwApi;

template <>
struct FftwApi<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto init_threads = fftw_init_threads;
  static constexpr auto with_threads = fftw_plan_with_nthreads;
  static constexpr auto c2c = fftw_plan_dft_3d;
  static constexpr auto many = fftw_plan_many_dft;
  static constexpr auto r2c = fftw_plan_many_dft_r2c;
  static constexpr auto c2r = fftw_plan_many_dft_c2r;
  static constexpr auto r2r = fftw_plan_r2r_3d;
};

template <>
struct FftwApi<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto init_threads = fftwf_init_threads;
  static constexpr auto with_threads = fftwf_plan_with_nthreads;
  static constexpr auto c2c = fftwf_plan_dft_3d;
  static constexpr auto many = fftwf_plan_many_dft;
  static constexpr auto r2c = fftwf_plan_many_dft_r2c;
  static constexpr auto c2r = fftwf_plan_many_dft_c2r;
  static constexpr auto r2r = fftwf_plan_r2r_3d;
};

// Forward and backward plan of one precision, destroyed with it.
template <class Real>
struct FftwPlans {
  typename FftwApi<Real>::Plan forward = nullptr;
  typename FftwApi<Real>::Plan backward = nullptr;

  FftwPlans() = default;
  FftwPlans(const FftwPlans&) = delete;
  FftwPlans& operator=(const FftwPlans&) = delete;
  ~FftwPlans() {
    if (forward) FftwApi<Real>::destroy(forward);
    if (backward) FftwApi<Real>::destroy(backward);
  }
};

// FFTW's name of the transform along an axis of a real spectrum, forward or its inverse.
inline fftw_r2r_kind fftw_kind(const Case& wanted, int axis, bool forward) {
  switch (wanted.axis_kind(axis)) {
    case AxisKind::dct1:
      return FFTW_REDFT00;
    case AxisKind::dct2:
      return forward ? FFTW_REDFT10 : FFTW_REDFT01;
    case AxisKind::dct3:
      return forward ? FFTW_REDFT01 : FFTW_REDFT10;
    case AxisKind::dct4:
      return FFTW_REDFT11;
    case AxisKind::dst1:
      return FFTW_RODFT00;
    case AxisKind::dst2:
      return forward ? FFTW_RODFT10 : FFTW_RODFT01;
    case AxisKind::dst3:
      return forward ? FFTW_RODFT01 : FFTW_RODFT10;
    default:
      return FFTW_RODFT11;
  }
}

inline unsigned fftw_effort(Effort effort) {
  return effort == Effort::estimate ? FFTW_ESTIMATE : effort == Effort::measure ? FFTW_MEASURE : FFTW_PATIENT;
}

// "3.3.10 (sse2-avx-...)": the code paths compiled in matter as much as the version. The library itself is asked: a
// program's own copy of the text is as long as that of the library it was linked with.
inline std::string fftw_version_text() {
  void* library = dlopen("libfftw3.so.3", RTLD_LAZY | RTLD_NOLOAD);
  const void* text = library ? dlsym(library, "fftw_version") : nullptr;
  return text ? static_cast<const char*>(text) : fftw_version;
}

}  // namespace shardfft::bench
