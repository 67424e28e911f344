#pragma once
// The arguments of kernels for SIMD batches of lines. No function of the standard library is called here: kernels are
// compiled for several processors, and a linker keeps one copy of such functions.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/read_ahead.hpp"

namespace shardfft::lanes {

/// Blocks of radix * m points.
template <class T>
struct RadixPass {
  int radix = 1;
  std::int64_t m = 1;
  std::int64_t blocks = 1;
  const T* twiddles = nullptr;  ///< real and imaginary parts, radix - 1 for each of m points; none if m is 1
  const T* roots = nullptr;     ///< for radices without code of their own, and for a pass over real numbers
};

/// Radices up to the first have code of their own; other odd ones up to the second are sums of products.
inline constexpr int most_written_out = 16, most_radix = 61;

/// A forward transform of n complex points in place.
template <class T>
struct RadixPasses {
  std::int64_t n = 1;
  const RadixPass<T>* pass = nullptr;
  int count = 0;
  const std::int32_t* place = nullptr;  ///< the place of each point of the spectrum afterwards
};

/// A transform of n points as a convolution of more, or fewer, points: Rader's for primes, Bluestein's for any length.
template <class T>
struct Convolution {
  RadixPasses<T> passes;
  const std::int32_t* gather = nullptr;   ///< Rader: the line's point for each one of the convolution; else none
  const T* chirp = nullptr;               ///< Bluestein: the factors of the points, before and after; else none
  const T* spectrum = nullptr;            ///< of the factors that the line is convolved with, divided by its length
  const std::int32_t* results = nullptr;  ///< Rader, real: the convolution's number for each one of the line
};

/// The places of the points and the lines of a batch, in points.
struct Lines {
  std::int64_t stride = 1;    ///< of the points of one line
  std::int64_t distance = 1;  ///< of the lines of a row
  std::int64_t rows = 0;      ///< distance of rows
};

/// The other side of real lines is half a spectrum. No two lines are parts of one complex line, so that none changes
/// another's result. In a line of even length every two numbers are a complex point. A line of odd length begins with a
/// pass over real numbers, or is a convolution of real numbers.
enum class Ends { complex, real_in, real_out };

template <class T>
struct Plan {
  Ends ends = Ends::complex;
  std::int64_t n = 1;          ///< points of the complex transform
  std::int64_t numbers = 1;    ///< of a real line: twice n, or n if it is odd
  const T* factors = nullptr;  ///< of a real line of even length: real and imaginary parts of n + 1
  std::int64_t lines = 1;
  std::int64_t row = 1;  ///< lines of a row; its last ones and the first ones of the next are transformed at once
  Lines in, out;
  T scale = 1;
  RadixPasses<T> passes;                        ///< of n points, if there is no convolution
  const Convolution<T>* convolution = nullptr;  ///< makes the transform in their place; or null
  const std::int32_t* place = nullptr;          ///< place of each point of the result there; ~place: its conjugate
  const std::int32_t* index = nullptr;          ///< the inverse of `place`; none with a convolution
};

/// Points of all lanes before the second half of the scratch, if there is one.
template <class T>
constexpr std::int64_t scratch_points(const Plan<T>& plan) {
  return plan.convolution == nullptr ? (plan.n + 1) / 2 : plan.convolution->passes.n + 1;
}

/// All lines; the last argument is scratch.
template <class T>
using LineKernel = void (*)(const Plan<T>&, const T*, T*, std::byte*, ReadAhead&);

/// Kernels compiled for one set of instructions: the bytes of a vector, and the number of vector registers.
struct Kernels {
  int vector_bytes, registers;
  LineKernel<double> f64;
  LineKernel<float> f32;
};
Kernels kernels_128();
Kernels kernels_256();  ///< x86 alone, as the next
Kernels kernels_512();

template <int n>
using Number = std::integral_constant<int, n>;
template <int... I>
using Sequence = std::integer_sequence<int, I...>;
template <int W>
using Lanes = std::make_integer_sequence<int, W>;

/// cos(2 pi j / n) and -sin(2 pi j / n), while compiling.
constexpr long double pi = 3.141592653589793238462643383279502884L;
constexpr long double sine(long double x) {
  long double term = x, sum = x;
  for (int i = 1; i < 30; ++i) sum += term *= -x * x / ((2 * i) * (2 * i + 1));
  return sum;
}
template <class T, int N>
struct Roots {
  T re[N] = {}, im[N] = {};
  constexpr Roots() {
    for (int j = 0; j < N; ++j) {
      // Reduces the angle to the first eighth: there the series is exact to the last bit.
      const int eighth = 8 * j / N;
      const long double angle = 2 * pi * j / N;
      const long double turns[8] = {0, pi / 2, pi / 2, pi, pi, 3 * pi / 2, 3 * pi / 2, 2 * pi};
      const long double rest = angle - turns[eighth];
      const long double s = sine(rest), half = sine(rest / 2), c = 1 - 2 * half * half;
      const int quarter = (eighth + 1) / 2 % 4;
      re[j] = static_cast<T>(quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s);
      im[j] = static_cast<T>(-(quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c));
    }
  }
};

}  // namespace shardfft::lanes
