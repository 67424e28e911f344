#include <limits>

#include "device/cuda/half_lines.hpp"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"

namespace shardfft::device {
namespace {

/// HalfSpectra, with the numbers of each line that are touched: all, or its ends.
struct Halves {
  longlong2 count, stride;
  long long n, last_stride, batch, distance;
  bool whole;

  __host__ __device__ long long each() const { return whole ? n / 2 + 1 : 2 - n % 2; }
  long long all() const { return batch * count.x * count.y * each(); }
};

Halves halves_of(const HalfSpectra& shape, bool whole) {
  return {make_longlong2(shape.count[0], shape.count[1]),
          make_longlong2(shape.stride[0], shape.stride[1]),
          shape.n,
          shape.last_stride,
          shape.batch,
          shape.distance,
          whole};
}

/// Calls inside(place) for the numbers of lines but their ends, and ends(place, mirrored place) for these: of two
/// points that mirror each other, for the first one.
template <class Index, class Inside, class Ends>
__device__ void for_halves(const Halves& shape, const Inside& inside, const Ends& ends) {
  const auto rows = static_cast<Index>(shape.count.y), points = static_cast<Index>(shape.count.x) * rows;
  const auto each = static_cast<Index>(shape.each());
  for_all(shape.batch * points * each, [&](long long number) {
    const auto i = static_cast<Index>(number), line = i / each, k = line % points, kx = k / rows, ky = k - kx * rows;
    const long long at = shape.whole ? i - line * each : (i - line * each) * (shape.n / 2);
    const long long first = line / points * shape.distance + at * shape.last_stride;
    const auto place = [&](long long x, long long y) { return first + x * shape.stride.x + y * shape.stride.y; };
    if (at != 0 && 2 * at != shape.n) return inside(place(kx, ky));
    const long long mx = kx == 0 ? 0 : shape.count.x - kx, my = ky == 0 ? 0 : shape.count.y - ky;
    if (mx * shape.count.y + my >= k) ends(place(kx, ky), place(mx, my));
  });
}

template <class T, class Index>
__global__ void __launch_bounds__(threads)
    hermitian_ends_kernel(const Complex<T>* in, Complex<T>* out, const __grid_constant__ Halves shape, double factor) {
  const auto scaled = [&](T x) { return static_cast<T>(x * factor); };
  for_halves<Index>(
      shape,
      [&](long long here) {
        out[here] = {scaled(in[here].re), scaled(in[here].im)};
      },
      [&](long long here, long long there) {
        const Complex<T> a = in[here], b = in[there];
        const Complex<T> part{scaled(a.re / 2 + b.re / 2), scaled(a.im / 2 - b.im / 2)};
        out[here] = part;
        out[there] = {part.re, -part.im};
      });
}

/// Of -1 to 1.
__device__ float noise(long long i) {
  auto bits = static_cast<unsigned>(i) * 2654435761U;
  bits = (bits ^ bits >> 15) * 2246822519U;
  return static_cast<float>(static_cast<int>(bits ^ bits >> 13)) / 2147483648.0F;
}

template <class T>
__global__ void __launch_bounds__(threads)
    other_ends_kernel(Complex<T>* spectra, const __grid_constant__ Halves shape) {
  for_halves<long long>(
      shape, [](long long) {},
      [&](long long here, long long there) {
        const Complex<T> part{here == there ? 0 : noise(2 * here), noise(2 * here + 1)};
        spectra[here] = part;
        spectra[there] = {-part.re, part.im};
      });
}

template <class T>
__global__ void __launch_bounds__(threads) above_kernel(const T* reals, long long count, T bound, std::int32_t* found) {
  for_all(count, [&](long long i) {
    if (!(reals[i] <= bound && reals[i] >= -bound)) *found = 1;
  });
}

template <class Run>
void for_precision(Precision precision, const Run& run) {
  precision == Precision::f64 ? run(double{}) : run(float{});
  check(cudaGetLastError(), "launch of a kernel for half spectra");
}

}  // namespace

void make_ends_hermitian(const void* in, void* out, const HalfSpectra& shape, double scale, Precision precision,
                         void* stream) {
  const Halves halves = halves_of(shape, in != out || scale != 1);
  if (halves.all() <= 0) return;
  // Divisions of 32 bits take less time.
  const bool short_index = halves.all() <= std::numeric_limits<unsigned>::max();
  for_precision(precision, [&]<class T>(T) {
    const auto kernel = short_index ? hermitian_ends_kernel<T, unsigned> : hermitian_ends_kernel<T, long long>;
    kernel<<<blocks_for(halves.all()), threads, 0, static_cast<cudaStream_t>(stream)>>>(
        static_cast<const Complex<T>*>(in), static_cast<Complex<T>*>(out), halves, scale);
  });
}

void fill_other_ends(void* spectra, const HalfSpectra& shape, Precision precision, void* stream) {
  const Halves halves = halves_of(shape, false);
  for_precision(precision, [&]<class T>(T) {
    other_ends_kernel<T><<<blocks_for(halves.all()), threads, 0, static_cast<cudaStream_t>(stream)>>>(
        static_cast<Complex<T>*>(spectra), halves);
  });
}

void find_above(const void* reals, std::int64_t count, double bound, std::int32_t* found, Precision precision,
                void* stream) {
  for_precision(precision, [&]<class T>(T) {
    above_kernel<T><<<blocks_for(count), threads, 0, static_cast<cudaStream_t>(stream)>>>(
        static_cast<const T*>(reals), count, static_cast<T>(bound), found);
  });
}

}  // namespace shardfft::device
