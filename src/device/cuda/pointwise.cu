#include "base/check.hpp"
#include "device/cuda/factor_pass.hpp"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"
#include "device/pointwise.hpp"

namespace shardfft::device {
namespace {

template <class T>
__global__ void __launch_bounds__(threads) scale_kernel(const T* in, T* out, long long count, double factor) {
  for_all(count, [&](long long i) { out[i] = static_cast<T>(in[i] * factor); });
}

/// Pairs of axes whose indices s and k make the factor exp(-2 pi i s k / n).
struct KernelFactors {
  static constexpr int most = max_axes;
  int pairs = 0;
  int s_axis[most], k_axis[most];
  long long n[most];
};

/// exp(-2 pi i m / n): m is a whole number below n, so the angle is as exact as a double can hold it.
__device__ Complex<double> root(long long m, long long n) {
  double sine, cosine;
  sincospi(2 * (static_cast<double>(m) / static_cast<double>(n)), &sine, &cosine);
  return {cosine, -sine};
}

template <class T>
__global__ void __launch_bounds__(threads)
    twiddle_kernel(const Complex<T>* in, Complex<T>* out, const __grid_constant__ Walk walk,
                   const __grid_constant__ KernelFactors factors, bool conjugate) {
  for_all(walk.elements, [&](long long i) {
    long long index[max_axes];
    const long long place = locate(walk, i, index);
    Complex<double> w{1, 0};
    for (int p = 0; p < factors.pairs; ++p) {
      const long long n = factors.n[p];
      const auto m = static_cast<unsigned long long>(index[factors.s_axis[p]]) *
                     static_cast<unsigned long long>(index[factors.k_axis[p]]) % static_cast<unsigned long long>(n);
      const Complex<double> r = root(static_cast<long long>(m), n);
      w = {w.re * r.re - w.im * r.im, w.re * r.im + w.im * r.re};
    }
    if (conjugate) w.im = -w.im;
    const Complex<T> v = in[place];
    out[place] = {static_cast<T>(v.re * w.re - v.im * w.im), static_cast<T>(v.re * w.im + v.im * w.re)};
  });
}

template <class Number>
__global__ void __launch_bounds__(threads)
    multiply_kernel(const Number* in, Number* out, const Number* factors, long long count, long long period) {
  for_all(count, [&](long long i) { out[i] = product(in[i], factors[i % period]); });
}

/// The state of an evaluation: the last value, which most terms use next, and the number of values stored before it.
struct Standing {
  Complex<double> last{0, 0};
  int waiting = 0;
};

/// Evaluates the terms begin <= t < end.
__device__ Standing evaluate(Standing now, Complex<double>* waiting, const FactorPass& pass, const long long* index,
                             int begin, int end) {
  using What = FactorTerms::What;
  for (int t = begin; t < end; ++t) {
    const FactorTerms::Term& term = pass.terms.term[t];
    const Complex<double> last = now.last;
    if (term.what == What::constant || term.what == What::axis) {
      if (t > 0) waiting[now.waiting++] = last;
      now.last = term.what == What::constant ? term.constant : pass.numbers[term.numbers + index[term.axis]];
      continue;
    }
    const Complex<double> first = waiting[--now.waiting];
    if (term.what == What::plus) now.last = {first.re + last.re, first.im + last.im};
    if (term.what == What::minus) now.last = {first.re - last.re, first.im - last.im};
    if (term.what == What::times) now.last = product(first, last);
    if (term.what == What::over) now.last = quotient(first, last);
  }
  return now;
}

template <class Number>
__global__ void __launch_bounds__(threads) multiply_computed_kernel(const __grid_constant__ FactorPass pass) {
  Complex<double> of_line[most_factor_depth], waiting[most_factor_depth];
  const auto begin = [&](const long long* index) { return evaluate({}, of_line, pass, index, 0, pass.same); };
  const auto factor_of = [&](const Standing& common, const long long* index) {
    for (int w = 0; w < common.waiting; ++w) waiting[w] = of_line[w];
    return evaluate(common, waiting, pass, index, pass.same, pass.terms.count).last;
  };
  multiply_lines<Number>(pass, begin, factor_of);
}

template <class T>
__global__ void __launch_bounds__(threads) promote_kernel(const T* in, Complex<T>* out, long long count) {
  for_all(count, [&](long long i) { out[i] = {in[i], 0}; });
}

template <class T>
__global__ void __launch_bounds__(threads) real_part_kernel(const Complex<T>* in, T* out, long long count) {
  for_all(count, [&](long long i) { out[i] = in[i].re; });
}

template <class T>
__global__ void __launch_bounds__(threads)
    half_spectrum_kernel(const Complex<T>* in, Complex<T>* out, const __grid_constant__ Walk walk, HalfSpectrum modes) {
  for_all(walk.elements, [&](long long i) {
    long long index[max_axes];
    const long long place = locate(walk, i, index);
    const long long k = index[modes.k1_axis] + modes.n1 * index[modes.k2_axis];
    if (k > modes.n / 2) {  // nothing was received there: the memory may hold a NaN
      out[place] = {0, 0};
      return;
    }
    const T factor = k == 0 || 2 * k == modes.n ? 1 : 2;
    out[place] = {factor * in[place].re, factor * in[place].im};
  });
}

template <class T>
void run_twiddle(const void* in, void* out, const KernelFactors& factors, const std::vector<Piece>& pieces,
                 bool conjugate, cudaStream_t stream) {
  for (const Piece& piece : pieces) {
    const Walk walk = walk_of(piece);
    if (walk.elements == 0) continue;
    twiddle_kernel<T><<<blocks_for(walk.elements), threads, 0, stream>>>(
        static_cast<const Complex<T>*>(in), static_cast<Complex<T>*>(out), walk, factors, conjugate);
    check(cudaGetLastError(), "launch of twiddle factors");
  }
}

template <class T>
void run_half_spectrum(const void* in, void* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                       cudaStream_t stream) {
  for (const Piece& piece : pieces) {
    const Walk walk = walk_of(piece);
    if (walk.elements == 0) continue;
    half_spectrum_kernel<T><<<blocks_for(walk.elements), threads, 0, stream>>>(
        static_cast<const Complex<T>*>(in), static_cast<Complex<T>*>(out), walk, modes);
    check(cudaGetLastError(), "launch of a half spectrum");
  }
}

template <class Number>
void run_multiply(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period,
                  cudaStream_t stream) {
  multiply_kernel<Number><<<blocks_for(count), threads, 0, stream>>>(
      static_cast<const Number*>(in), static_cast<Number*>(out), static_cast<const Number*>(factors), count, period);
  check(cudaGetLastError(), "launch of an operator");
}

template <class Number>
void run_multiply_computed(const FactorPass& pass, cudaStream_t stream) {
  multiply_computed_kernel<Number><<<blocks_of(pass), threads, 0, stream>>>(pass);
  check(cudaGetLastError(), "launch of an operator");
}

template <class T>
void run_promote(const void* in, void* out, std::int64_t count, Direction direction, cudaStream_t stream) {
  if (direction == Direction::forward)
    promote_kernel<T>
        <<<blocks_for(count), threads, 0, stream>>>(static_cast<const T*>(in), static_cast<Complex<T>*>(out), count);
  else
    real_part_kernel<T>
        <<<blocks_for(count), threads, 0, stream>>>(static_cast<const Complex<T>*>(in), static_cast<T*>(out), count);
  check(cudaGetLastError(), "launch of a change between real and complex numbers");
}

template <class T>
void run_scale(const void* in, void* out, std::int64_t reals, double factor, cudaStream_t stream) {
  scale_kernel<<<blocks_for(reals), threads, 0, stream>>>(static_cast<const T*>(in), static_cast<T*>(out), reals,
                                                          factor);
  check(cudaGetLastError(), "launch of a scaling");
}

}  // namespace

void scale(const void* in, void* out, std::int64_t count, ElementType element, double factor, void* stream) {
  if (count == 0) return;
  const std::int64_t reals = count * (element.is_complex ? 2 : 1);
  const auto run = element.precision == Precision::f64 ? run_scale<double> : run_scale<float>;
  run(in, out, reals, factor, static_cast<cudaStream_t>(stream));
}

void twiddle(const void* in, void* out, const TwiddleFactors& wanted, const std::vector<Piece>& pieces,
             Direction direction, Precision precision, void* stream) {
  KernelFactors factors;
  if (wanted.pairs.size() > static_cast<std::size_t>(KernelFactors::most))
    fail(Status::internal, "too many twiddle factors");
  for (const TwiddleFactors::Pair& pair : wanted.pairs) {
    factors.s_axis[factors.pairs] = pair.s_axis;
    factors.k_axis[factors.pairs] = pair.k_axis;
    factors.n[factors.pairs++] = pair.n;
  }
  const bool conjugate = direction == Direction::backward;
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    run_twiddle<double>(in, out, factors, pieces, conjugate, native);
  else
    run_twiddle<float>(in, out, factors, pieces, conjugate, native);
}

void multiply(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period,
              ElementType element, void* stream) {
  if (count == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  const bool wide = element.precision == Precision::f64;
  const auto run = element.is_complex ? (wide ? run_multiply<Complex<double>> : run_multiply<Complex<float>>)
                                      : (wide ? run_multiply<double> : run_multiply<float>);
  run(in, out, factors, count, period, native);
}

void multiply(const void* in, void* out, const SpectralFactors& factors, const std::complex<double>* numbers,
              const std::vector<Piece>& pieces, ElementType element, void* stream) {
  const bool wide = element.precision == Precision::f64;
  const auto run = element.is_complex
                       ? (wide ? run_multiply_computed<Complex<double>> : run_multiply_computed<Complex<float>>)
                       : (wide ? run_multiply_computed<double> : run_multiply_computed<float>);
  for (const FactorPass& pass : factor_passes(in, out, factors, numbers, pieces))
    run(pass, static_cast<cudaStream_t>(stream));
}

void promote(const void* in, void* out, std::int64_t count, Direction direction, Precision precision, void* stream) {
  if (count == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    run_promote<double>(in, out, count, direction, native);
  else
    run_promote<float>(in, out, count, direction, native);
}

void half_spectrum(const void* in, void* out, const HalfSpectrum& modes, const std::vector<Piece>& pieces,
                   Precision precision, void* stream) {
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    run_half_spectrum<double>(in, out, modes, pieces, native);
  else
    run_half_spectrum<float>(in, out, modes, pieces, native);
}

}  // namespace shardfft::device
