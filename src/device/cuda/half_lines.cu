#include "device/cuda/half_lines.hpp"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"

namespace shardfft::device {
namespace {

/// `counts`, `strides`: of the axes before the last one. `last`: the place of the last number in its line, or 0 to skip
/// it. Of two points that mirror each other, the thread of the first one writes both.
template <class T>
__global__ void __launch_bounds__(threads)
    hermitian_ends_kernel(Complex<T>* spectra, longlong2 counts, longlong2 strides, long long last, long long batch,
                          long long distance) {
  const long long points = counts.x * counts.y;
  for_all(batch * points, [&](long long i) {
    const long long k = i % points, kx = k / counts.y, ky = k % counts.y;
    const long long mx = kx == 0 ? 0 : counts.x - kx, my = ky == 0 ? 0 : counts.y - ky;
    if (mx * counts.y + my < k) return;
    Complex<T>* const lines = spectra + i / points * distance;
    Complex<T>* const here = lines + kx * strides.x + ky * strides.y;
    Complex<T>* const there = lines + mx * strides.x + my * strides.y;
    for (int end = 0; end < (last > 0 ? 2 : 1); ++end) {
      const Complex<T> a = here[end * last], b = there[end * last];
      const Complex<T> part{a.re / 2 + b.re / 2, a.im / 2 - b.im / 2};
      here[end * last] = part;
      there[end * last] = {part.re, -part.im};
    }
  });
}

}  // namespace

void make_ends_hermitian(void* spectra, const HalfSpectra& shape, Precision precision, void* stream) {
  const long long all = shape.batch * shape.count[0] * shape.count[1];
  if (all <= 0) return;
  const long long last = shape.n % 2 == 0 ? shape.n / 2 * shape.last_stride : 0;
  const longlong2 counts = make_longlong2(shape.count[0], shape.count[1]);
  const longlong2 strides = make_longlong2(shape.stride[0], shape.stride[1]);
  const auto run = [&](auto* numbers) {
    hermitian_ends_kernel<<<blocks_for(all), threads, 0, static_cast<cudaStream_t>(stream)>>>(
        numbers, counts, strides, last, shape.batch, shape.distance);
  };
  if (precision == Precision::f64)
    run(static_cast<Complex<double>*>(spectra));
  else
    run(static_cast<Complex<float>*>(spectra));
  check(cudaGetLastError(), "launch of Hermitian ends");
}

}  // namespace shardfft::device
