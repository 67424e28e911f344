#pragma once
// What the threads of a pass add up of the lines that they hold (option verify): no other look at memory is needed.
// A line's results with some weights add up to its input with others, but for rounding. Each thread keeps the
// difference of its own points of many lines; all threads meet for the sum of these only now and then.
#include "device/cuda/lines/kernel_pass.hpp"
#include "device/cuda/lines/line_fft.cuh"

namespace shardfft::device::lines {

__device__ __forceinline__ unsigned words(double x) {
  return unsigned(__double2loint(x)) + unsigned(__double2hiint(x));
}
__device__ __forceinline__ unsigned words(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned words(const Cx<double>& x) { return words(x.re) + words(x.im); }
__device__ __forceinline__ unsigned words(const Cx<Twin>& x) {
  return __float_as_uint(x.re.a) + __float_as_uint(x.re.b) + __float_as_uint(x.im.a) + __float_as_uint(x.im.b);
}
/// Of the lines that are there.
__device__ __forceinline__ unsigned words_there(const Cx<double>& x, bool first, bool) { return first ? words(x) : 0; }
__device__ __forceinline__ unsigned words_there(const Cx<Twin>& x, bool first, bool second) {
  return (first ? __float_as_uint(x.re.a) + __float_as_uint(x.im.a) : 0) +
         (second ? __float_as_uint(x.re.b) + __float_as_uint(x.im.b) : 0);
}
/// Twin lines are added up as one.
__device__ __forceinline__ Cx<double> both(const Cx<double>& x) { return x; }
__device__ __forceinline__ Cx<float> both(const Cx<Twin>& x) { return {x.re.a + x.re.b, x.im.a + x.im.b}; }

template <class S>
__device__ __forceinline__ S squares(const Cx<double>& x, S sum) {
  return sum + x.re * x.re + x.im * x.im;
}
template <class S>
__device__ __forceinline__ S squares(const Cx<Twin>& x, S sum) {
  const S a = S(x.re.a), b = S(x.re.b), c = S(x.im.a), d = S(x.im.b);
  return sum + a * a + b * b + c * c + d * d;
}
/// Whether such a sum in the precision of the numbers is good: squares of floats soon leave what it holds.
__device__ __forceinline__ bool good(double) { return true; }
__device__ __forceinline__ bool good(float sum) { return sum > 1e-25F && sum < 1e30F; }

/// Zeros in the place of lines that are not there: they add nothing.
__device__ __forceinline__ void forget(Cx<double>& x, bool first, bool) {
  if (!first) x = {0, 0};
}
__device__ __forceinline__ void forget(Cx<Twin>& x, bool first, bool second) {
  if (!first) x.re.a = x.im.a = 0;
  if (!second) x.re.b = x.im.b = 0;
}

/// Of a pass that checks nothing.
template <class T>
struct NoSums {
  template <class C>
  __device__ unsigned input(Cx<T> (&)[C::E], unsigned, bool, bool, const KernelChecks&) {
    return 0;
  }
  template <class C>
  __device__ unsigned output(Cx<T> (&)[C::E], unsigned, bool, bool, const KernelChecks&) {
    return 0;
  }
  template <class C>
  __device__ void allow(const Cx<T> (&)[C::E], unsigned, const KernelChecks&) {}
  template <class C>
  __device__ void spectra(unsigned, Cx<T>, Cx<T>, bool, bool, const KernelChecks&) {}
  __device__ void took(unsigned, bool) {}
  __device__ void left(unsigned, bool) {}
  template <class Sync>
  __device__ void end_tile(T*, unsigned, unsigned, Sync, const KernelChecks&) {}
  template <class Sync>
  __device__ void end(T*, unsigned, unsigned, Sync, const KernelChecks&) {}
};

template <class T>
class LineSums {
 public:
  using Factor = typename Traits<T>::Factor;
  using Scalar = typename Traits<T>::Scalar;

  /// Before the first stage, and behind the last one; the sum of the bits. `first`, `second`: whether a thread's lines
  /// are there.
  template <class C>
  __device__ __forceinline__ unsigned input(Cx<T> (&v)[C::E], unsigned t, bool first, bool second,
                                            const KernelChecks& checks) {
    if (!first || !second) each_point<C, 0>(t, [&](auto i, auto) { forget(v[i], first, second); });
    add<C, 0>(v, t, static_cast<const Factor*>(checks.weights), 1);
    allow<C>(v, t, checks);
    unsigned bits = 0;
    each_point<C, 0>(t, [&](auto i, auto) { bits += words(v[i]); });
    return bits;
  }
  /// What rounding may make of the lines, of input().
  template <class C>
  __device__ __forceinline__ void allow(const Cx<T> (&v)[C::E], unsigned t, const KernelChecks& checks) {
    Scalar sum = 0;
    each_point<C, 0>(t, [&](auto i, auto) { sum = squares(v[i], sum); });
    double wide = sum;
    if (!good(sum)) {
      wide = 0;
      each_point<C, 0>(t, [&](auto i, auto) { wide = squares(v[i], wide); });
    }
    allowed_ += checks.limits.part * checks.limits.part * wide;
  }
  template <class C>
  __device__ __forceinline__ unsigned output(Cx<T> (&v)[C::E], unsigned t, bool first, bool second,
                                             const KernelChecks& checks) {
    constexpr int last = C::stages - 1;
    if (!first || !second) each_point<C, last>(t, [&](auto i, auto) { forget(v[i], first, second); });
    add<C, last>(v, t, static_cast<const Factor*>(checks.weights) + C::N, -1);
    unsigned bits = 0;
    each_point<C, last>(t, [&](auto i, auto) {
      if (first && second)
        bits += words(v[i]);
      else
        bits += words_there(v[i], first, second);
    });
    return bits;
  }
  /// Instead of output(), and for the sum of input(): numbers k of the half spectra of two real rows a and b, which as
  /// lines are the points k and N - k of a + i b. `swapped`: the line has its parts exchanged.
  template <class C>
  __device__ __forceinline__ void spectra(unsigned k, Cx<T> a, Cx<T> b, bool swapped, bool of_output,
                                          const KernelChecks& checks) {
    const auto x = both(a), y = both(b);
    const Factor* const weights = static_cast<const Factor*>(checks.weights) + (of_output ? C::N : 0);
    const int sign = of_output ? -1 : 1;
    weigh(__ldg(weights + k), swapped, sign, x.re - y.im, x.im + y.re);
    if (k != 0 && 2 * k != C::N) weigh(__ldg(weights + (C::N - k)), swapped, sign, x.re + y.im, y.re - x.im);
  }
  /// What these are the bits of: the input of the pass, and its results, or what is between two axes.
  __device__ __forceinline__ void took(unsigned bits, bool first_axis) {
    read_ += first_axis ? bits : 0;
    between_ -= first_axis ? 0 : bits;
  }
  __device__ __forceinline__ void left(unsigned bits, bool last_axis) {
    written_ += last_axis ? bits : 0;
    between_ += last_axis ? 0 : bits;
  }

  /// By all threads: `id` of `count`, of which each has a number's room at `shared`. `sync` is their barrier.
  template <class Sync>
  __device__ void end_tile(T* shared, unsigned id, unsigned count, Sync sync, const KernelChecks& checks) {
    if (++tiles_ == checks.tiles) compare(shared, id, count, sync, checks);
  }
  template <class Sync>
  __device__ void end(T* shared, unsigned id, unsigned count, Sync sync, const KernelChecks& checks) {
    if (tiles_ > 0) compare(shared, id, count, sync, checks);
    const auto tell = [&](PassResult result, unsigned bits) {
      const double sum = sum_of_all(bits, shared, id, count, sync);
      if (id == 0) atomicAdd(checks.results + result, static_cast<unsigned long long>(sum));
    };
    tell(bits_read, read_);
    tell(bits_written, written_);
    tell(bits_between, between_);
  }

 private:
  __device__ __forceinline__ void weigh(Factor w, bool swapped, int sign, Scalar re, Scalar im) {
    sum_ += sign * double(swapped ? w.x * im - w.y * re : w.x * re - w.y * im);
  }
  template <class C, int S>
  __device__ __forceinline__ void add(const Cx<T> (&v)[C::E], unsigned t, const Factor* weights, int sign) {
    Scalar sum = 0;
    each_point<C, S>(t, [&](auto i, auto offset) {
      const Factor w = __ldg(weights + t + offset);
      const auto x = both(v[i]);
      sum += w.x * x.re - w.y * x.im;
    });
    sum_ += sign * double(sum);
  }

  /// Thread 0 has it. Each adder writes where it alone reads.
  template <class Sync>
  static __device__ double sum_of_all(double mine, T* shared, unsigned id, unsigned count, Sync sync) {
    constexpr unsigned adders = 32;
    static_assert(sizeof(T) == sizeof(double));
    double* const numbers = reinterpret_cast<double*>(shared);
    sync();
    numbers[id] = mine;
    sync();
    double sum = 0;
    if (id < adders) {
      for (unsigned i = id; i < count; i += adders) sum += numbers[i];
      numbers[id] = sum;
    }
    sync();
    if (id != 0) return 0;
    for (unsigned i = 1; i < adders && i < count; ++i) sum += numbers[i];
    return sum;
  }

  template <class Sync>
  __device__ void compare(T* shared, unsigned id, unsigned count, Sync sync, const KernelChecks& checks) {
    const double difference = sum_of_all(sum_, shared, id, count, sync);
    const double allowed = sum_of_all(allowed_, shared, id, count, sync) + checks.limits.floor * checks.limits.floor;
    tiles_ = 0;
    sum_ = allowed_ = 0;
    if (id != 0) return;
    const double part = squared_part(allowed, difference);
    if (part >= 0) atomicAdd(checks.results + sums_compared, 1ULL);
    // Doubles that are not negative are in order as numbers of 64 bits.
    if (part > 0)
      atomicMax(checks.results + largest_square, static_cast<unsigned long long>(__double_as_longlong(part)));
  }

  double sum_ = 0, allowed_ = 0;
  unsigned read_ = 0, written_ = 0, between_ = 0, tiles_ = 0;
};

}  // namespace shardfft::device::lines
