#pragma once
// The 16-byte element of the line kernels: one double complex, or the same point of two neighbouring float lines.
// With it both precisions share one kernel, one addressing and one coalescing rule.
#ifndef __CUDACC_RTC__
#include "device/cuda/vendor.hpp"
#endif

namespace shardfft::device::lines {

/// One component (real or imaginary) of two neighbouring float lines.
struct Twin {
  float a, b;
};

__device__ __forceinline__ Twin operator+(Twin x, Twin y) { return {x.a + y.a, x.b + y.b}; }
__device__ __forceinline__ Twin operator-(Twin x, Twin y) { return {x.a - y.a, x.b - y.b}; }
__device__ __forceinline__ Twin operator-(Twin x) { return {-x.a, -x.b}; }
__device__ __forceinline__ Twin operator*(float s, Twin x) { return {s * x.a, s * x.b}; }

/// T is double or Twin.
template <class T>
struct Cx {
  T re, im;
};

template <class T>
struct Traits;
template <>
struct Traits<double> {
  using Scalar = double;
  using Factor = double2;
  static constexpr int lines = 1;
};
template <>
struct Traits<Twin> {
  using Scalar = float;
  using Factor = float2;
  static constexpr int lines = 2;
};

template <class T>
__device__ __forceinline__ Cx<T> operator+(Cx<T> x, Cx<T> y) {
  return {x.re + y.re, x.im + y.im};
}
template <class T>
__device__ __forceinline__ Cx<T> operator-(Cx<T> x, Cx<T> y) {
  return {x.re - y.re, x.im - y.im};
}
/// Times the scalar complex number c + i s.
template <class T, class S>
__device__ __forceinline__ Cx<T> times(Cx<T> x, S c, S s) {
  return {c * x.re - s * x.im, c * x.im + s * x.re};
}
/// Times -i.
template <class T>
__device__ __forceinline__ Cx<T> turn(Cx<T> x) {
  return {x.im, -x.re};
}

// A backward transform is the forward one of numbers with exchanged real and imaginary parts; those of the results are
// exchanged again. Both exchanges happen here, in registers, and cost nothing.
template <bool Backward>
__device__ __forceinline__ Cx<double> unpack(const double2& v, double*) {
  return Backward ? Cx<double>{v.y, v.x} : Cx<double>{v.x, v.y};
}
template <bool Backward>
__device__ __forceinline__ Cx<Twin> unpack(const double2& bits, Twin*) {
  const float4 v = reinterpret_cast<const float4&>(bits);
  return Backward ? Cx<Twin>{{v.y, v.w}, {v.x, v.z}} : Cx<Twin>{{v.x, v.z}, {v.y, v.w}};
}
template <bool Backward>
__device__ __forceinline__ double2 pack(const Cx<double>& v) {
  return Backward ? double2{v.im, v.re} : double2{v.re, v.im};
}
template <bool Backward>
__device__ __forceinline__ double2 pack(const Cx<Twin>& v) {
  const float4 bits = Backward ? float4{v.im.a, v.re.a, v.im.b, v.re.b} : float4{v.re.a, v.im.a, v.re.b, v.im.b};
  return reinterpret_cast<const double2&>(bits);
}

}  // namespace shardfft::device::lines
