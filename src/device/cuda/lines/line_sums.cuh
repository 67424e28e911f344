#pragma once
// What the threads of a pass add up of the lines that they hold (option verify): no other look at memory is needed.
// A line's results with some weights add up to its input with others, but for rounding. Each thread keeps the
// difference of its own points of many lines; all threads meet for the sum of these only now and then. Registers are
// what passes are short of: sums of bits are kept in shared memory, and of squares the upper word.
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

/// What the warps of a team share that adds up lines together.
template <int Threads>
struct SumDesk {
  static constexpr int warps = (Threads + 31) / 32;
  double sum[warps], square[warps];
  unsigned bits[3];  ///< read, written, between two axes
};

/// Of a pass that checks nothing.
template <class T, int Threads>
struct NoSums {
  struct Desk {};
  __device__ NoSums(Desk&, unsigned) {}
  static __device__ void open(Desk&) {}
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
  __device__ void end_tile(Sync, const KernelChecks&) {}
  template <class Sync>
  __device__ void end(Sync, const KernelChecks&) {}
};

template <class T, int Threads>
class LineSums {
 public:
  using Factor = typename Traits<T>::Factor;
  using Scalar = typename Traits<T>::Scalar;
  using Desk = SumDesk<Threads>;

  /// Of thread `id` of all. Someone opens the desk before.
  __device__ __forceinline__ LineSums(Desk& desk, unsigned id) : desk_(desk), id_(id) {}
  static __device__ __forceinline__ void open(Desk& desk) {
    for (unsigned& sum : desk.bits) sum = 0;
  }

  /// Before the first stage, and behind the last one; the sum of the bits. `first`, `second`: whether a thread's lines
  /// are there.
  template <class C>
  __device__ __forceinline__ unsigned input(Cx<T> (&v)[C::E], unsigned t, bool first, bool second,
                                            const KernelChecks& checks) {
    if (!first || !second) each_point<C, 0>(t, [&](auto i, auto) { forget(v[i], first, second); });
    add<C, 0>(v, t, static_cast<const Factor*>(checks.weights), 1);
    allow<C>(v, t, checks);
    return words_of<C, 0>(v, t);
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
    const double before = __hiloint2double(allowed_, 0);
    allowed_ = __double2hiint(before + checks.limits.part * checks.limits.part * wide);
  }
  template <class C>
  __device__ __forceinline__ unsigned output(Cx<T> (&v)[C::E], unsigned t, bool first, bool second,
                                             const KernelChecks& checks) {
    constexpr int last = C::stages - 1;
    if (!first || !second) each_point<C, last>(t, [&](auto i, auto) { forget(v[i], first, second); });
    add<C, last>(v, t, static_cast<const Factor*>(checks.weights) + C::N, -1);
    return words_of<C, last>(v, t);
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
    add_bits(desk_.bits[first_axis ? 0 : 2], first_axis ? bits : 0 - bits);
  }
  __device__ __forceinline__ void left(unsigned bits, bool last_axis) { add_bits(desk_.bits[last_axis ? 1 : 2], bits); }

  /// By all threads; `sync` is their barrier, that they also pass within every tile.
  template <class Sync>
  __device__ __forceinline__ void end_tile(Sync sync, const KernelChecks& checks) {
    if (++tiles_ == checks.tiles) compare(sync, checks);
  }
  template <class Sync>
  __device__ __forceinline__ void end(Sync sync, const KernelChecks& checks) {
    if (tiles_ > 0) compare(sync, checks);
    sync();
    if (id_ >= 3) return;
    const PassResult result = id_ == 0 ? bits_read : id_ == 1 ? bits_written : bits_between;
    atomicAdd(checks.results + result, static_cast<unsigned long long>(desk_.bits[id_]));
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
  template <class C, int S>
  static __device__ __forceinline__ unsigned words_of(const Cx<T> (&v)[C::E], unsigned t) {
    unsigned bits = 0;
    each_point<C, S>(t, [&](auto i, auto) { bits += words(v[i]); });
    return bits;
  }

  /// Of this thread's warp: the last one may have fewer.
  static constexpr unsigned tail = Threads % 32;
  __device__ __forceinline__ unsigned lanes() const { return tail == 0 || id_ < Threads - tail ? 32 : tail; }
  __device__ __forceinline__ unsigned mask() const { return ~0U >> (32 - lanes()); }

  __device__ __forceinline__ void add_bits(unsigned& to, unsigned mine) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    mine = __reduce_add_sync(mask(), mine);
    if (id_ % 32 != 0) return;
#endif
    atomicAdd(&to, mine);
  }

  /// The first lane of `count` has it.
  static __device__ __forceinline__ double sum_of_lanes(double x, unsigned lane, unsigned count) {
#pragma unroll 1
    for (unsigned step = 16; step > 0; step /= 2) {
      const double other = __shfl_down_sync(~0U >> (32 - count), x, step);
      if (lane + step < count) x += other;
    }
    return x;
  }

  template <class Sync>
  __device__ __forceinline__ void compare(Sync sync, const KernelChecks& checks) {
    compare(desk_, id_, lanes(), sum_, __hiloint2double(allowed_, 0), sync, checks);
    tiles_ = 0;
    sum_ = 0;
    allowed_ = 0;
  }
  template <class Sync>
  static __device__ __noinline__ void compare(Desk& desk, unsigned id, unsigned lanes, double difference,
                                              double allowed, Sync sync, const KernelChecks& checks) {
    const unsigned lane = id % 32;
    difference = sum_of_lanes(difference, lane, lanes);
    allowed = sum_of_lanes(allowed, lane, lanes);
    if (lane == 0) {
      desk.sum[id / 32] = difference;
      desk.square[id / 32] = allowed;
    }
    sync();
    if (id >= 32) return;
    const bool there = lane < Desk::warps;
    difference = sum_of_lanes(there ? desk.sum[lane] : 0, lane, lanes);
    allowed = sum_of_lanes(there ? desk.square[lane] : 0, lane, lanes) + checks.limits.floor * checks.limits.floor;
    if (lane != 0) return;
    const double part = squared_part(allowed, difference);
    if (part >= 0) atomicAdd(checks.results + sums_compared, 1ULL);
    // Doubles that are not negative are in order as numbers of 64 bits.
    if (part > 0)
      atomicMax(checks.results + largest_square, static_cast<unsigned long long>(__double_as_longlong(part)));
  }

  Desk& desk_;
  unsigned id_;
  double sum_ = 0;
  int allowed_ = 0;  ///< upper word
  unsigned tiles_ = 0;
};

template <bool Checked, class T, int Threads>
struct SumsOf {
  using Type = NoSums<T, Threads>;
};
template <class T, int Threads>
struct SumsOf<true, T, Threads> {
  using Type = LineSums<T, Threads>;
};

}  // namespace shardfft::device::lines
