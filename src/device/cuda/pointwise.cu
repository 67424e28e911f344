#include <algorithm>

#include "base/check.hpp"
#include "device/cuda/vendor.hpp"
#include "device/facts.hpp"
#include "device/pointwise.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device {
namespace {

constexpr int threads = 256;

unsigned blocks_for(long long count) {
  const long long most = static_cast<long long>(current_facts().multiprocessors) * gpu_defaults().pointwise_blocks;
  return static_cast<unsigned>(std::clamp<long long>((count + threads - 1) / threads, 1, most));
}

template <class T>
struct Complex {
  T re, im;
};

/// Calls visit(i) for all i below `count`, by all threads of the grid.
template <class Visit>
__device__ void for_all(long long count, Visit visit) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < count; i += step) visit(i);
}

/// A piece as the kernels read it. Axes are sorted by their stride in memory, so that neighbouring threads touch
/// neighbouring numbers whatever the order of the axes; `axis` tells which one of the state's each is.
struct Walk {
  int axes = 0;
  long long count[max_axes], first[max_axes], step[max_axes], stride[max_axes];
  int axis[max_axes];
  long long offset = 0, elements = 0;
};

Walk walk_of(const Piece& piece) {
  Walk walk;
  walk.axes = piece.set.axes;
  walk.offset = piece.offset;
  walk.elements = piece.set.count();
  for (int a = 0; a < walk.axes; ++a) walk.axis[a] = a;
  const auto& strides = piece.stride;
  std::stable_sort(walk.axis, walk.axis + walk.axes, [&](int a, int b) {
    return strides[static_cast<std::size_t>(a)] > strides[static_cast<std::size_t>(b)];
  });
  for (int i = 0; i < walk.axes; ++i) {
    const auto a = static_cast<std::size_t>(walk.axis[i]);
    walk.count[i] = piece.set.axis[a].count;
    walk.first[i] = piece.set.axis[a].first;
    walk.step[i] = piece.set.axis[a].stride;
    walk.stride[i] = strides[a];
  }
  return walk;
}

/// Place of the i-th element in memory; index[a] becomes its index along axis a of the state.
__device__ long long locate(const Walk& walk, long long i, long long* index) {
  long long place = walk.offset;
  for (int a = walk.axes - 1; a >= 0; --a) {
    const long long n = walk.count[a], at = i % n;
    i /= n;
    place += at * walk.stride[a];
    index[walk.axis[a]] = walk.first[a] + at * walk.step[a];
  }
  return place;
}

template <class T>
__global__ void __launch_bounds__(threads) scale_kernel(T* data, long long count, double factor) {
  for_all(count, [&](long long i) { data[i] = static_cast<T>(data[i] * factor); });
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

template <class T>
__global__ void __launch_bounds__(threads)
    multiply_kernel(const Complex<T>* in, Complex<T>* out, const Complex<T>* factors, long long count,
                    long long period) {
  for_all(count, [&](long long i) {
    const Complex<T> v = in[i], w = factors[i % period];
    out[i] = {v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
  });
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
    if (k > modes.n / 2) {  // nothing was received there: that memory is not a number to multiply
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

template <class T>
void run_multiply(const void* in, void* out, const void* factors, std::int64_t count, std::int64_t period,
                  cudaStream_t stream) {
  multiply_kernel<T><<<blocks_for(count), threads, 0, stream>>>(static_cast<const Complex<T>*>(in),
                                                                static_cast<Complex<T>*>(out),
                                                                static_cast<const Complex<T>*>(factors), count, period);
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

}  // namespace

void scale(void* data, std::int64_t count, ElementType element, double factor, void* stream) {
  if (count == 0) return;
  const std::int64_t reals = count * (element.is_complex ? 2 : 1);
  const auto native = static_cast<cudaStream_t>(stream);
  if (element.precision == Precision::f64)
    scale_kernel<<<blocks_for(reals), threads, 0, native>>>(static_cast<double*>(data), reals, factor);
  else
    scale_kernel<<<blocks_for(reals), threads, 0, native>>>(static_cast<float*>(data), reals, factor);
  check(cudaGetLastError(), "launch of a scaling");
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
              Precision precision, void* stream) {
  if (count == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    run_multiply<double>(in, out, factors, count, period, native);
  else
    run_multiply<float>(in, out, factors, count, period, native);
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
