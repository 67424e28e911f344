#pragma once
// An operator's factors, by which the threads of a forward pass multiply the results that they hold. They are computed
// in double precision, from numbers of the line and numbers along it.
#include "device/cuda/lines/pass_places.cuh"

namespace shardfft::device::lines {

__device__ __forceinline__ double2 product(double2 a, double2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/// 1 / x by steps of Newton's: NVIDIA's division calls a function, for which passes have no registers. NaN for a
/// subnormal x.
__device__ __forceinline__ double one_over(double x) {
#ifdef __HIP__
  return 1 / x;
#else
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
#pragma unroll
  for (int step = 0; step < 2; ++step) r = fma(fma(-x, r, 1.0), r, r);
  return r;
#endif
}
/// 0 for a divisor of 0.
__device__ __forceinline__ double2 reciprocal(double2 of) {
  const bool real = of.y == 0;
  const double size = real ? of.x : of.x * of.x + of.y * of.y, one = size == 0 ? 0 : one_over(size);
  return real ? double2{one, 0} : double2{of.x * one, -of.y * one};
}

/// Multiplies one of the lines in a thread's numbers, the second one if a Twin has two.
__device__ __forceinline__ void multiply_line(Cx<double>& v, bool /*second*/, double2 by) {
  v = Cx<double>{v.re * by.x - v.im * by.y, v.re * by.y + v.im * by.x};
}
__device__ __forceinline__ void multiply_line(Cx<Twin>& v, bool second, double2 by) {
  const double2 made = product(second ? double2{v.re.b, v.im.b} : double2{v.re.a, v.im.a}, by);
  (second ? v.re.b : v.re.a) = static_cast<float>(made.x);
  (second ? v.im.b : v.im.a) = static_cast<float>(made.y);
}

/// first + second * along[k], with numbers of the line; without `along`, the first one.
struct FactorSum {
  double2 first, second;
  const double2* along;
  __device__ __forceinline__ FactorSum(const LineFactors::Sum& sum, unsigned line)
      : first(of_line(sum.first, line)),
        second(of_line(sum.second, line)),
        along(static_cast<const double2*>(sum.along)) {}
  static __device__ __forceinline__ double2 of_line(const LineFactors::OfLine& number, unsigned line) {
    return number.lines != nullptr ? static_cast<const double2*>(number.lines)[line]
                                   : double2{number.constant[0], number.constant[1]};
  }
  __device__ __forceinline__ double2 at(unsigned k) const {
    if (along == nullptr) return first;
    const double2 more = product(second, along[k]);
    return {first.x + more.x, first.y + more.y};
  }
};

/// Number i of an array of the kernel's type, or of its real one.
__device__ __forceinline__ double2 number_of(const void* array, bool reals, long long i, double) {
  if (reals) return {static_cast<const double*>(array)[i], 0};
  return static_cast<const double2*>(array)[i];
}
__device__ __forceinline__ double2 number_of(const void* array, bool reals, long long i, Twin) {
  if (reals) return {static_cast<const float*>(array)[i], 0};
  const float2 number = static_cast<const float2*>(array)[i];
  return {number.x, number.y};
}

/// `second` of the thread's lines, in this column.
template <class C, class T>
__device__ __forceinline__ void multiply_results(Cx<T> (&v)[C::E], const LineFactors& factors, unsigned outer,
                                                 unsigned column, unsigned t, bool second) {
  const auto multiply = [&](auto factor) {
    each_point<C, C::stages - 1>(t, [&](int i, int offset) {
      multiply_line(v[i], second, factor(static_cast<int>(t) + offset));
      asm volatile("" ::: "memory");  // one point after the other: several at a time need more registers
    });
  };
  if (factors.array != nullptr) {
    const long long first = outer * factors.outer_stride + column;
    const bool reals = factors.are == FactorsAre::reals;
    return multiply([&](int k) { return number_of(factors.array, reals, first + k * factors.line_stride, T{}); });
  }
  const unsigned line = outer * factors.columns + column;
  // In double precision products by one sum after the other need fewer registers.
  const bool apart = Traits<T>::lines == 1, divides = factors.are == FactorsAre::quotients;
  const FactorSum above(factors.above, line);
  if (apart || !divides) multiply([&](int k) { return above.at(k); });
  if (!divides) return;
  const FactorSum below(factors.below, line);
  multiply([&](int k) {
    const double2 part = reciprocal(below.at(k));
    return apart ? part : product(above.at(k), part);
  });
}

template <class C, class T>
__device__ __forceinline__ void multiply_results(Cx<T> (&v)[C::E], const LineFactors& factors, const Corner& tile,
                                                 const ThreadPlace& at, const LinesThere& there) {
  if (factors.are == FactorsAre::none) return;
  constexpr int lines = Traits<T>::lines;
#pragma unroll 1
  for (int line = 0; line < lines; ++line)
    if (line == 0 ? there.first : there.second)
      multiply_results<C>(v, factors, tile.outer, static_cast<unsigned>((there.column + line) / (2 / lines)), at.t,
                          line != 0);
}

}  // namespace shardfft::device::lines
