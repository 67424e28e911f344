#pragma once
// An operator's factors, by which the threads of a forward pass multiply the results that they hold. They are computed
// in double precision, from numbers of the line and numbers along it; results are multiplied in their own precision.
#include "device/cuda/lines/pass_places.cuh"

namespace shardfft::device::lines {

// Numbers of sums are double2, or double if all of them are real.
__device__ __forceinline__ double2 product(double2 a, double2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ __forceinline__ double product(double a, double b) { return a * b; }
__device__ __forceinline__ double2 sum(double2 a, double2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ double sum(double a, double b) { return a + b; }
__device__ __forceinline__ void read(const double2& from, double2& to) { to = from; }
__device__ __forceinline__ void read(const double2& from, double& to) { to = from.x; }

/// 1 / x by steps of Newton's, of which each doubles the 20 bits that are right: NVIDIA's division calls a function,
/// for which passes have no registers. NaN for a subnormal x.
template <int steps>
__device__ __forceinline__ double one_over(double x) {
#ifdef __HIP__
  return 1 / x;
#else
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
#pragma unroll
  for (int step = 0; step < steps; ++step) r = fma(fma(-x, r, 1.0), r, r);
  return r;
#endif
}
/// 0 for a divisor of 0.
template <int steps>
__device__ __forceinline__ double2 reciprocal(double2 of) {
  const bool real = of.y == 0;
  const double size = real ? of.x : of.x * of.x + of.y * of.y, one = size == 0 ? 0 : one_over<steps>(size);
  return real ? double2{one, 0} : double2{of.x * one, -of.y * one};
}

template <int steps>
__device__ __forceinline__ double reciprocal(double of) {
  return of == 0 ? 0 : one_over<steps>(of);
}

/// Multiplies one of the lines in a thread's numbers, the second one if a Twin has two.
__device__ __forceinline__ void multiply_line(Cx<double>& v, bool /*second*/, double2 by) {
  v = Cx<double>{v.re * by.x - v.im * by.y, v.re * by.y + v.im * by.x};
}
__device__ __forceinline__ void multiply_line(Cx<Twin>& v, bool second, double2 by) {
  const float x = static_cast<float>(by.x), y = static_cast<float>(by.y);
  const float re = second ? v.re.b : v.re.a, im = second ? v.im.b : v.im.a;
  (second ? v.re.b : v.re.a) = re * x - im * y;
  (second ? v.im.b : v.im.a) = re * y + im * x;
}

__device__ __forceinline__ void multiply_line(Cx<double>& v, bool /*second*/, double by) {
  v = Cx<double>{v.re * by, v.im * by};
}
__device__ __forceinline__ void multiply_line(Cx<Twin>& v, bool second, double by) {
  const float x = static_cast<float>(by);
  (second ? v.re.b : v.re.a) *= x;
  (second ? v.im.b : v.im.a) *= x;
}

/// first + second * along[k], with numbers of the line; without `along`, the first one.
template <class Number>
struct FactorSum {
  Number first, second;
  const double2* along;
  __device__ __forceinline__ FactorSum(const LineFactors::Sum& sum, unsigned line)
      : along(static_cast<const double2*>(sum.along)) {
    read(of_line(sum.first, line), first);
    read(of_line(sum.second, line), second);
  }
  static __device__ __forceinline__ double2 of_line(const LineFactors::OfLine& number, unsigned line) {
    return number.lines != nullptr ? static_cast<const double2*>(number.lines)[line]
                                   : double2{number.constant[0], number.constant[1]};
  }
  __device__ __forceinline__ Number at(unsigned k) const {
    if (along == nullptr) return first;
    Number step;
    read(along[k], step);
    return sum(first, product(second, step));
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

/// Multiplies `second` of the thread's lines by factor(k) at point k.
template <class C, class T, class Factor>
__device__ __forceinline__ void multiply_points(Cx<T> (&v)[C::E], unsigned t, bool second, const Factor& factor) {
  each_point<C, C::stages - 1>(t, [&](int i, int offset) {
    multiply_line(v[i], second, factor(static_cast<int>(t) + offset));
    asm volatile("" ::: "memory");  // one point after the other: several at a time need more registers
  });
}

template <class Number, class C, class T>
__device__ __forceinline__ void multiply_by_sums(Cx<T> (&v)[C::E], const LineFactors& factors, unsigned line,
                                                 unsigned t, bool second) {
  // In double precision products by one sum after the other need fewer registers.
  constexpr bool apart = Traits<T>::lines == 1;
  const bool divides = factors.are == FactorsAre::quotients;
  const FactorSum<Number> above(factors.above, line);
  if (apart || !divides) multiply_points<C>(v, t, second, [&](int k) { return above.at(k); });
  if (!divides) return;
  const FactorSum<Number> below(factors.below, line);
  multiply_points<C>(v, t, second, [&](int k) {
    const Number part = reciprocal < apart ? 2 : 1 > (below.at(k));
    return apart ? part : product(above.at(k), part);
  });
}

/// `second` of the thread's lines, in this column.
template <class C, class T>
__device__ __forceinline__ void multiply_results(Cx<T> (&v)[C::E], const LineFactors& factors, unsigned outer,
                                                 unsigned column, unsigned t, bool second) {
  if (factors.array != nullptr) {
    const long long first = outer * factors.outer_stride + column;
    const bool reals = factors.are == FactorsAre::reals;
    return multiply_points<C>(
        v, t, second, [&](int k) { return number_of(factors.array, reals, first + k * factors.line_stride, T{}); });
  }
  const unsigned line = outer * factors.columns + column;
  if (factors.real) return multiply_by_sums<double, C>(v, factors, line, t, second);
  multiply_by_sums<double2, C>(v, factors, line, t, second);
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
