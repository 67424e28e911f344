// FFTW's two precisions under one name, so that an adapter is written once.
#pragma once

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

inline unsigned fftw_effort(Effort effort) {
  return effort == Effort::estimate ? FFTW_ESTIMATE : effort == Effort::measure ? FFTW_MEASURE : FFTW_PATIENT;
}

// "3.3.10 (sse2-avx-...)": the code paths compiled in matter as much as the version.
inline std::string fftw_version_text() { return fftw_version; }

}  // namespace shardfft::bench
