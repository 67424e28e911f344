#pragma once
// Short DFTs in registers, natural order in and out. Every index and every constant is known at compile time, so that
// the arrays live in registers and multiplications by 1, -1 and -i vanish.
#include "device/cuda/lines/complex.cuh"

namespace shardfft::device::lines {

template <int I>
struct Index {
  static constexpr int value = I;
  __device__ constexpr operator int() const { return I; }
};

/// 0 ... N - 1; run-time compilers have no <utility>.
template <int... I>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
  using Type = Indices<I...>;
};

template <class F, int... I>
__device__ __forceinline__ void each_of(F&& f, Indices<I...>) {
  (f(Index<I>{}), ...);
}
/// f(Index<0>) ... f(Index<N-1>).
template <int N, class F>
__device__ __forceinline__ void each(F&& f) {
  each_of(static_cast<F&&>(f), typename MakeIndices<N>::Type{});
}

constexpr double pi = 3.14159265358979323846264338327950288;

/// Taylor sums for |x| <= pi/4, exact to the last digit or two at compile time.
__host__ __device__ constexpr double sine_near_zero(double x) {
  double term = x, sum = 0;
  for (int k = 1; k < 24; k += 2) {
    sum += term;
    term *= -x * x / ((k + 1) * (k + 2));
  }
  return sum;
}
__host__ __device__ constexpr double cosine_near_zero(double x) {
  double term = 1, sum = 0;
  for (int k = 0; k < 24; k += 2) {
    sum += term;
    term *= -x * x / ((k + 1) * (k + 2));
  }
  return sum;
}
/// cos(2 pi k / n): reduced to the first eighth of the circle.
__host__ __device__ constexpr double cosine(int k, int n) {
  k = ((k % n) + n) % n;
  if (2 * k > n) k = n - k;
  if (4 * k > n) return -cosine(n - 2 * k, 2 * n);
  if (8 * k > n) return sine_near_zero(2 * pi * (n - 4 * k) / (4.0 * n));
  return cosine_near_zero(2 * pi * k / n);
}
/// sin(2 pi k / n) = cos(2 pi (n - 4k) / 4n).
__host__ __device__ constexpr double sine(int k, int n) { return cosine(n - 4 * k, 4 * n); }

/// cos and -sin of 2 pi k / N.
template <int N, class S>
struct Roots {
  S c[N]{}, s[N]{};
  __host__ __device__ constexpr Roots() {
    for (int k = 0; k < N; ++k) {
      c[k] = S(cosine(k, N));
      s[k] = S(-sine(k, N));
    }
  }
};

/// x * exp(-2 pi i k / N), 0 <= k < N, k known once loops are unrolled.
template <int N, class T>
__device__ __forceinline__ Cx<T> rotate(int k, Cx<T> x) {
  using S = typename Traits<T>::Scalar;
  constexpr Roots<N, S> roots;
  constexpr S h = S(cosine(1, 8));
  if (k == 0) return x;
  if (4 * k == N) return turn(x);
  if (2 * k == N) return {-x.re, -x.im};
  if (4 * k == 3 * N) return {-x.im, x.re};
  if (8 * k == N) return {h * (x.re + x.im), h * (x.im - x.re)};
  if (8 * k == 3 * N) return {h * (x.im - x.re), -h * (x.re + x.im)};
  return times(x, roots.c[k], roots.s[k]);
}

/// The factor by which a composite radix is split first: its largest prime factor, or 4 for powers of two above 4.
__host__ __device__ constexpr int first_factor(int r) {
  int largest = 1, rest = r;
  for (int p = 2; p <= rest; ++p)
    for (; rest % p == 0; rest /= p) largest = p;
  return largest > 2 ? largest : r > 4 ? 4 : 2;
}

template <int R, class T>
__device__ __forceinline__ void dft(Cx<T> (&v)[R]);

template <class T>
__device__ __forceinline__ void dft_two(Cx<T> (&v)[2]) {
  const Cx<T> sum = v[0] + v[1];
  v[1] = v[0] - v[1];
  v[0] = sum;
}

template <class T>
__device__ __forceinline__ void dft_three(Cx<T> (&v)[3]) {
  using S = typename Traits<T>::Scalar;
  constexpr S half = S(0.5), root = S(sine(1, 3));
  const Cx<T> sum = v[1] + v[2], difference = v[1] - v[2];
  const Cx<T> middle = {v[0].re - half * sum.re, v[0].im - half * sum.im};
  const Cx<T> side = {root * difference.im, -(root * difference.re)};
  v[0] = v[0] + sum;
  v[1] = middle + side;
  v[2] = middle - side;
}

/// R odd: points k and R - k together, since their factors are conjugate to each other.
template <int R, class T>
__device__ __forceinline__ void dft_odd(Cx<T> (&v)[R]) {
  using S = typename Traits<T>::Scalar;
  constexpr int half = R / 2;
  constexpr Roots<R, S> roots;
  Cx<T> sum[half], difference[half], first = v[0];
#pragma unroll
  for (int k = 0; k < half; ++k) {
    sum[k] = v[k + 1] + v[R - 1 - k];
    difference[k] = v[k + 1] - v[R - 1 - k];
    first = first + sum[k];
  }
#pragma unroll
  for (int point = 1; point <= half; ++point) {
    Cx<T> even = v[0], odd{};
#pragma unroll
    for (int k = 0; k < half; ++k) {
      const S c = roots.c[point * (k + 1) % R], s = -roots.s[point * (k + 1) % R];
      even = {even.re + c * sum[k].re, even.im + c * sum[k].im};
      odd = k == 0 ? Cx<T>{s * difference[k].re, s * difference[k].im}
                   : Cx<T>{odd.re + s * difference[k].re, odd.im + s * difference[k].im};
    }
    v[point] = {even.re + odd.im, even.im - odd.re};
    v[R - point] = {even.re - odd.im, even.im + odd.re};
  }
  v[0] = first;
}

/// R = A * B: B transforms of A points, constant twiddles, A transforms of B points.
template <int A, int B, class T>
__device__ __forceinline__ void dft_product(Cx<T> (&v)[A * B]) {
  Cx<T> rows[A][B];
#pragma unroll
  for (int b = 0; b < B; ++b) {
    Cx<T> column[A];
#pragma unroll
    for (int a = 0; a < A; ++a) column[a] = v[a * B + b];
    dft<A>(column);
#pragma unroll
    for (int a = 0; a < A; ++a) rows[a][b] = rotate<A * B>(a * b, column[a]);
  }
#pragma unroll
  for (int a = 0; a < A; ++a) {
    dft<B>(rows[a]);
#pragma unroll
    for (int b = 0; b < B; ++b) v[a + A * b] = rows[a][b];
  }
}

/// Forward DFT of R points.
template <int R, class T>
__device__ __forceinline__ void dft(Cx<T> (&v)[R]) {
  if constexpr (R == 2) {
    dft_two(v);
  } else if constexpr (R == 3) {
    dft_three(v);
  } else if constexpr (R > 1) {
    constexpr int A = first_factor(R);
    if constexpr (A == R)
      dft_odd<R>(v);
    else
      dft_product<A, R / A>(v);
  }
}

}  // namespace shardfft::device::lines
