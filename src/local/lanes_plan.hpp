#pragma once
// What the kernels for lines in lanes are told. Nothing of the standard library is called here: kernels are compiled
// for several processors, and a linker keeps one copy of such functions.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/read_ahead.hpp"

namespace shardfft::lanes {

/// Blocks of radix * m points.
template <class T>
struct Pass {
  int radix = 1;
  std::int64_t m = 1;
  std::int64_t blocks = 1;
  const T* twiddles = nullptr;  ///< real and imaginary parts, radix - 1 for each of m points; none where m is 1
  const T* roots = nullptr;     ///< of radices without code of their own, and of a pass over real numbers
};

/// Radices up to the first have code of their own; other odd ones up to the second are sums of products.
inline constexpr int most_written_out = 16, most_radix = 61;

/// A forward transform of n complex points where they lie.
template <class T>
struct Passes {
  std::int64_t n = 1;
  const Pass<T>* pass = nullptr;
  int count = 0;
  const std::int32_t* place = nullptr;  ///< where they leave each point of the spectrum
};

/// A transform of n points as a convolution of more, or fewer, points: Rader's for primes, Bluestein's for any length.
template <class T>
struct Convolution {
  Passes<T> passes;
  const std::int32_t* gather = nullptr;   ///< Rader: which point of the line each one of the convolution is; else none
  const T* chirp = nullptr;               ///< Bluestein: the factors of the points, before and after; else none
  const T* spectrum = nullptr;            ///< of what the line is convolved with, over its length
  const std::int32_t* results = nullptr;  ///< Rader, real: which number of the convolution has each of the line's
};

/// Where the points and the lines of a batch lie, in points.
struct Lines {
  std::int64_t stride = 1;    ///< of the points of one line
  std::int64_t distance = 1;  ///< of the lines of a row
  std::int64_t rows = 0;      ///< distance of rows
};

/// Real lines have half a spectrum on their other side. No two lines are parts of one complex line, so that none
/// changes another's result: of a line of even length every two numbers are a complex point; one of odd length begins
/// with a pass over real numbers, or is a convolution of such.
enum class Ends { complex, real_in, real_out };

template <class T>
struct Plan {
  Ends ends = Ends::complex;
  std::int64_t n = 1;          ///< points of the complex transform
  std::int64_t numbers = 1;    ///< of a real line: twice n, or n where it is odd
  const T* factors = nullptr;  ///< of a real line of even length: real and imaginary parts of n + 1
  std::int64_t lines = 1;
  std::int64_t row = 1;  ///< lines of a row; its last ones and the first ones of the next are transformed at once
  Lines in, out;
  T scale = 1;
  Passes<T> passes;                             ///< of n points, where there is no convolution
  const Convolution<T>* convolution = nullptr;  ///< what makes the transform instead, or null
  const std::int32_t* place = nullptr;          ///< where these leave each point of the result; ~place: its conjugate
  const std::int32_t* index = nullptr;          ///< the other way; none with a convolution
};

/// Points of all lanes behind which the second half of the scratch begins, where there is one.
template <class T>
constexpr std::int64_t scratch_points(const Plan<T>& plan) {
  return plan.convolution == nullptr ? (plan.n + 1) / 2 : plan.convolution->passes.n + 1;
}

/// All lines; the last argument is scratch.
template <class T>
using Run = void (*)(const Plan<T>&, const T*, T*, std::byte*, ReadAhead&);

/// Kernels compiled for one set of instructions, with vectors of so many bytes, of which the processor holds so many.
struct Kernels {
  int vector_bytes, registers;
  Run<double> f64;
  Run<float> f32;
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
      // To the first eighth, where the series is exact to the last bit.
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
