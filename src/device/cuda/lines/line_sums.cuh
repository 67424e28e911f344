#pragma once
// Sums that the threads of a pass form from the lines that they hold (option verify), with no other access to memory.
// With some weights a line's results add up to as much as its input with others, apart from rounding. Each thread keeps
// the difference for its own points of many lines; all threads meet only now and then to add these up. Passes are short
// of registers: sums of bits are therefore kept in shared memory, and only the upper word of sums of squares.
#include "device/cuda/lines/kernel_pass.hpp"
#include "device/cuda/lines/line_fft.cuh"
#include "device/cuda/lines/shuffle.cuh"

namespace shardfft::device::lines {

__device__ __forceinline__ unsigned words(double x) {
  return unsigned(__double2loint(x)) + unsigned(__double2hiint(x));
}
__device__ __forceinline__ unsigned words(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned words(Twin x) { return words(x.a) + words(x.b); }

/// Sums of bits; the two lines of a Twin have one each.
template <class T>
struct Words {
  unsigned sum = 0;
  __device__ __forceinline__ void add(const Cx<T>& x) { sum += words(x.re) + words(x.im); }
  __device__ __forceinline__ unsigned of_lines(bool first, bool) const { return first ? sum : 0; }
};
template <>
struct Words<Twin> {
  unsigned a = 0, b = 0;
  __device__ __forceinline__ void add(const Cx<Twin>& x) {
    a += words(x.re.a) + words(x.im.a);
    b += words(x.re.b) + words(x.im.b);
  }
  __device__ __forceinline__ unsigned of_lines(bool first, bool second) const {
    return (first ? a : 0) + (second ? b : 0);
  }
};
__device__ __forceinline__ double of_lines(double sum, bool first, bool) { return first ? sum : 0; }
__device__ __forceinline__ Twin of_lines(Twin sum, bool first, bool second) {
  return {first ? sum.a : 0, second ? sum.b : 0};
}

/// Whether a kernel checks its lines, and has their weights in shared memory: the L1 cache would not keep them.
enum class Checks { none, some, weights_held };

/// The checks of one axis, for a thread.
template <class T>
struct LineChecks {
  using Factor = typename Traits<T>::Factor;
  const KernelChecks& kernel;
  const Factor* of_input;
  const int* of_result;
  /// `weights`: of lines of n points.
  __device__ __forceinline__ LineChecks(const KernelChecks& checks, const void* weights, int n)
      : kernel(checks),
        of_input(static_cast<const Factor*>(weights)),
        of_result(reinterpret_cast<const int*>(of_input + n)) {}
};
/// Called by all threads. Returns the place of the weights, which may be read after a barrier.
template <Checks How, class T, int N>
__device__ __forceinline__ const void* hold_weights(char* shared, const KernelChecks& checks) {
  if (How != Checks::weights_held) return checks.weights;
  constexpr int words = N * (int(sizeof(typename Traits<T>::Factor)) + result_weight_bytes) / 4;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x))
    reinterpret_cast<int*>(shared)[i] = static_cast<const int*>(checks.weights)[i];
  return shared;
}

/// `sum` plus the real part of w x. Twin lines have a sum each: neighbours often differ in nothing but their signs.
__device__ __forceinline__ double weighted(double sum, double2 w, const Cx<double>& x) {
  return sum + w.x * x.re - w.y * x.im;
}
__device__ __forceinline__ Twin weighted(Twin sum, float2 w, const Cx<Twin>& x) {
  return {sum.a + w.x * x.re.a - w.y * x.im.a, sum.b + w.x * x.re.b - w.y * x.im.b};
}
/// The same for the weight (1 + i) times the number that `word` encodes.
__device__ __forceinline__ double weighted(double sum, int word, const Cx<double>& x) {
  return sum + __hiloint2double(word, 0) * (x.re - x.im);
}
__device__ __forceinline__ Twin weighted(Twin sum, int word, const Cx<Twin>& x) {
  const float w = __int_as_float(word);
  return {sum.a + w * (x.re.a - x.im.a), sum.b + w * (x.re.b - x.im.b)};
}
__device__ __forceinline__ double all_of(double sum) { return sum; }
__device__ __forceinline__ double all_of(Twin sum) { return double(sum.a) + sum.b; }
__device__ __forceinline__ double square_of(double sum) { return sum * sum; }
__device__ __forceinline__ double square_of(Twin sum) { return double(sum.a) * sum.a + double(sum.b) * sum.b; }

/// Shared memory of the warps of a team that add up lines together.
template <int Threads>
struct SumDesk {
  static constexpr int warps = (Threads + 31) / 32;
  double sum[warps], square[warps];
  unsigned bits[3];  ///< read, written, between two axes
};

/// For a pass without checks.
template <class T, int Threads>
struct NoSums {
  struct Desk {};
  __device__ NoSums(Desk&, unsigned) {}
  static __device__ void open(Desk&) {}
  struct Input {
    __device__ void add(int, const Cx<T>&) {}
  };
  static __device__ Input input(unsigned, const LineChecks<T>&) { return {}; }
  __device__ void took(const Input&, bool, bool, bool, const LineChecks<T>&) {}
  template <class C>
  __device__ void left(const Cx<T> (&)[C::E], unsigned, bool, bool, bool, const LineChecks<T>&) {}
  template <class C>
  __device__ void close_lines(const Cx<T> (&)[C::E], unsigned, const LineChecks<T>&) {}
  template <class C>
  __device__ void spectra(T&, unsigned, int, Cx<T>, Cx<T>, bool, bool, const LineChecks<T>&) {}
  __device__ void close_input(T, const LineChecks<T>&) {}
  __device__ void close_output(T, const LineChecks<T>&) {}
  __device__ void took(unsigned, bool) {}
  __device__ void left(unsigned, bool) {}
  template <class Sync>
  __device__ void end_tile(Sync, const LineChecks<T>&) {}
  template <class Sync>
  __device__ void end(Sync, const LineChecks<T>&) {}
};

template <class T, int Threads>
class LineSums {
 public:
  using Factor = typename Traits<T>::Factor;
  using Desk = SumDesk<Threads>;

  /// `id` is the number of the thread. One thread must have opened the desk before.
  __device__ __forceinline__ LineSums(Desk& desk, unsigned id) : desk_(desk), id_(id) {}
  static __device__ __forceinline__ void open(Desk& desk) {
    for (unsigned& sum : desk.bits) sum = 0;
  }

  /// The sums of a thread's input points, which are added one by one.
  struct Input {
    const Factor* weights;
    T sum{};
    Words<T> bits{};
    __device__ __forceinline__ void add(int offset, const Cx<T>& x) {
      sum = weighted(sum, weights[offset], x);
      bits.add(x);
    }
  };
  static __device__ __forceinline__ Input input(unsigned t, const LineChecks<T>& checks) {
    return {checks.of_input + t};
  }
  /// `first`, `second`: whether each of a thread's lines exists.
  __device__ __forceinline__ void took(const Input& in, bool first, bool second, bool first_axis,
                                       const LineChecks<T>& checks) {
    close_input(of_lines(in.sum, first, second), checks);
    took(in.bits.of_lines(first, second), first_axis);
  }
  /// Called after the last stage.
  template <class C>
  __device__ __forceinline__ void left(const Cx<T> (&v)[C::E], unsigned t, bool first, bool second, bool last_axis,
                                       const LineChecks<T>& checks) {
    Words<T> words;
    each_point<C, C::stages - 1>(t, [&](int i, int) { words.add(v[i]); });
    const unsigned bits = words.of_lines(first, second);
    left(bits, last_axis);
    close_output(of_lines(sum_of_output<C>(v, t, bits, checks), first, second), checks);
  }
  /// The sum alone, if all lines exist.
  template <class C>
  __device__ __forceinline__ void close_lines(const Cx<T> (&v)[C::E], unsigned t, const LineChecks<T>& checks) {
    close_output(sum_of_output<C>(v, t, words(v[0].re), checks), checks);
  }
  /// In place of both: adds numbers k = t + offset of the half spectra of two real rows a and b to a sum that is closed
  /// later. In a line these are the points k and N - k of a + i b. `swapped`: the line has its parts exchanged.
  template <class C>
  __device__ __forceinline__ void spectra(T& sum, unsigned t, int offset, Cx<T> a, Cx<T> b, bool swapped,
                                          bool is_output, const LineChecks<T>& checks) {
    const auto weigh = [&](int begin, int point, T re, T im) {
      const Cx<T> x = swapped ? Cx<T>{im, re} : Cx<T>{re, im};
      if (is_output)
        sum = weighted(sum, (checks.of_result + begin)[point], x);
      else
        sum = weighted(sum, (checks.of_input + begin)[point], x);
    };
    const unsigned k = t + offset;
    weigh(static_cast<int>(t), offset, a.re - b.im, a.im + b.re);
    if (k != 0 && 2 * k != C::N) weigh(C::N - static_cast<int>(t), -offset, a.re + b.im, b.re - a.im);
  }
  /// The squares of a thread's sums measure the size of the numbers.
  __device__ __forceinline__ void close_input(T sum, const LineChecks<T>& checks) {
    sum_ += checks.kernel.input_factor * all_of(sum);
    allow(checks.kernel.input_part * square_of(sum));
  }
  /// A result that is not finite allows no difference: if the input was finite, it is an error.
  __device__ __forceinline__ void close_output(T sum, const LineChecks<T>& checks) {
    sum_ -= checks.kernel.result_factor * all_of(sum);
    const double square = square_of(sum);
    if (square - square == 0) allow(checks.kernel.result_part * square);
  }
  /// The bits of the input of the pass and of its results, or of the numbers between two axes.
  __device__ __forceinline__ void took(unsigned bits, bool first_axis) {
    add_bits(desk_.bits[first_axis ? 0 : 2], first_axis ? bits : 0 - bits);
  }
  __device__ __forceinline__ void left(unsigned bits, bool last_axis) { add_bits(desk_.bits[last_axis ? 1 : 2], bits); }

  /// Called by all threads; `sync` is their barrier, which they also pass within every tile.
  template <class Sync>
  __device__ __forceinline__ void end_tile(Sync sync, const LineChecks<T>& checks) {
    if (++tiles_ == checks.kernel.tiles) compare(sync, checks);
  }
  template <class Sync>
  __device__ __forceinline__ void end(Sync sync, const LineChecks<T>& checks) {
    if (tiles_ > 0) compare(sync, checks);
    sync();
    if (id_ >= 3) return;
    const PassResult result = id_ == 0 ? bits_read : id_ == 1 ? bits_written : bits_between;
    atomicAdd(checks.kernel.results + result, static_cast<unsigned long long>(desk_.bits[id_]));
  }

 private:
  __device__ __forceinline__ void allow(double square) {
    allowed_ = __double2hiint(__hiloint2double(allowed_, 0) + square);
  }
  /// `late`: a number that is known only after the last stage. It acts as a barrier: the compiler cannot load the
  /// weights earlier, into registers that the stage needs.
  template <class C>
  static __device__ __forceinline__ T sum_of_output(const Cx<T> (&v)[C::E], unsigned t, unsigned late,
                                                    const LineChecks<T>& checks) {
    T sum{};
    const int* const mine = checks.of_result + t + (late & checks.kernel.zero);
    each_point<C, C::stages - 1>(t, [&](int i, int offset) { sum = weighted(sum, mine[offset], v[i]); });
    return sum;
  }

  /// Lanes of this thread's warp: the last warp may have fewer.
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

  /// The sum over `count` lanes, in the first one of them.
  static __device__ __forceinline__ double sum_of_lanes(double x, unsigned lane, unsigned count) {
#pragma unroll 1
    for (unsigned step = 16; step > 0; step /= 2) {
      const double other = of_lane_after(~0U >> (32 - count), x, step);
      if (lane + step < count) x += other;
    }
    return x;
  }

  template <class Sync>
  __device__ __forceinline__ void compare(Sync sync, const LineChecks<T>& checks) {
    compare(desk_, id_, lanes(), sum_, __hiloint2double(allowed_, 0), sync, checks.kernel);
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
    allowed = sum_of_lanes(there ? desk.square[lane] : 0, lane, lanes) + checks.floor * checks.floor;
    if (lane != 0) return;
    const double part = squared_part(allowed, difference);
    if (part >= 0) atomicAdd(checks.results + sums_compared, 1ULL);
    // Doubles that are not negative have the order of their bits as 64-bit integers.
    if (part > 0)
      atomicMax(checks.results + largest_square, static_cast<unsigned long long>(__double_as_longlong(part)));
  }

  Desk& desk_;
  unsigned id_;
  double sum_ = 0;
  int allowed_ = 0;  ///< upper word
  unsigned tiles_ = 0;
};

template <Checks How, class T, int Threads>
struct SumsOf {
  using Type = LineSums<T, Threads>;
};
template <class T, int Threads>
struct SumsOf<Checks::none, T, Threads> {
  using Type = NoSums<T, Threads>;
};

}  // namespace shardfft::device::lines
