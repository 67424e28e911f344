#include "device/cosine.hpp"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"

namespace shardfft::device {
namespace {

/// The angle is a quotient of whole numbers, as exact as a double can hold it.
template <class T>
__device__ TwoReals<T> root_of(const CosineUnit& unit) {
  double sine, cosine;
  sincospi(static_cast<double>(unit.angle) / static_cast<double>(unit.half_turn), &sine, &cosine);
  return {static_cast<T>(cosine), static_cast<T>(sine)};
}

template <class T>
__global__ void __launch_bounds__(threads)
    before_kernel(const T* in, TwoReals<T>* work, const __grid_constant__ CosineLines lines, long long all) {
  const long long units = units_before(lines.type, lines.n);
  for_all(all, [&](long long i) {
    const CosinePlace place = locate(lines, units, i);
    const CosineUnit unit = before_unit(lines.type, lines.n, place.unit);
    TwoReals<T> numbers[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (unit.in[k] < 0) continue;
      const T* const number = in + place.from + unit.in[k] * lines.line.from;
      numbers[k] = {number[0], place.pair ? number[lines.second] : T(0)};
    }
    const TwoReals<T> root = unit.angle == 0 ? TwoReals<T>{1, 0} : root_of<T>(unit);
#pragma unroll
    for (int o = 0; o < 2; ++o)
      if (unit.out[o] >= 0) work[place.to + unit.out[o] * lines.line.to] = output_of(unit, o, numbers, root);
  });
}

template <class T>
__global__ void __launch_bounds__(threads)
    after_kernel(const TwoReals<T>* work, T* out, const __grid_constant__ CosineLines lines, long long all) {
  const long long units = units_after(lines.type, lines.n);
  const T scale = static_cast<T>(lines.scale);
  for_all(all, [&](long long i) {
    const CosinePlace place = locate(lines, units, i);
    const CosineUnit unit = after_unit(lines.type, lines.n, place.unit);
    TwoReals<T> numbers[2];
#pragma unroll
    for (int k = 0; k < 2; ++k)
      if (unit.in[k] >= 0) numbers[k] = work[place.from + unit.in[k] * lines.line.from];
    const TwoReals<T> root = unit.angle == 0 ? TwoReals<T>{1, 0} : root_of<T>(unit);
#pragma unroll
    for (int o = 0; o < 2; ++o) {
      if (unit.out[o] < 0) continue;
      const TwoReals<T> z = output_of(unit, o, numbers, root);
      T* const number = out + place.to + unit.out[o] * lines.line.to;
      number[0] = z.re * scale;
      if (place.pair) number[lines.second] = z.im * scale;
    }
  });
}

template <class T>
void run_before(const void* in, void* work, const CosineLines& lines, long long all, cudaStream_t stream) {
  before_kernel<T>
      <<<blocks_for(all), threads, 0, stream>>>(static_cast<const T*>(in), static_cast<TwoReals<T>*>(work), lines, all);
  check(cudaGetLastError(), "launch of a cosine transform");
}

template <class T>
void run_after(const void* work, void* out, const CosineLines& lines, long long all, cudaStream_t stream) {
  after_kernel<T><<<blocks_for(all), threads, 0, stream>>>(static_cast<const TwoReals<T>*>(work), static_cast<T*>(out),
                                                           lines, all);
  check(cudaGetLastError(), "launch of a cosine transform");
}

}  // namespace

void before_fourier(const void* in, void* work, const CosineLines& lines, Precision precision, void* stream) {
  const long long all = units_before(lines.type, lines.n) * lines.lines_of_all();
  if (all == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    run_before<double>(in, work, lines, all, native);
  else
    run_before<float>(in, work, lines, all, native);
}

void after_fourier(const void* work, void* out, const CosineLines& lines, Precision precision, void* stream) {
  const long long all = units_after(lines.type, lines.n) * lines.lines_of_all();
  if (all == 0) return;
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    run_after<double>(work, out, lines, all, native);
  else
    run_after<float>(work, out, lines, all, native);
}

}  // namespace shardfft::device
