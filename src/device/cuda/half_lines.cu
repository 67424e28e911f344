#include "device/cuda/half_lines.hpp"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"

namespace shardfft::device {
namespace {

/// `last`: where the last number lies in its line; 0 leaves it as it is.
template <class T>
__global__ void __launch_bounds__(threads)
    real_ends_kernel(Complex<T>* lines, long long last, long long batch, long long distance) {
  for_all(batch, [&](long long b) {
    Complex<T>* const line = lines + b * distance;
    line[0].im = 0;
    if (last > 0) line[last].im = 0;
  });
}

}  // namespace

void make_ends_real(void* lines, std::int64_t n, std::int64_t stride, std::int64_t batch, std::int64_t distance,
                    Precision precision, void* stream) {
  if (batch <= 0) return;
  const long long last = n % 2 == 0 ? n / 2 * stride : 0;
  const auto native = static_cast<cudaStream_t>(stream);
  if (precision == Precision::f64)
    real_ends_kernel<<<blocks_for(batch), threads, 0, native>>>(static_cast<Complex<double>*>(lines), last, batch,
                                                                distance);
  else
    real_ends_kernel<<<blocks_for(batch), threads, 0, native>>>(static_cast<Complex<float>*>(lines), last, batch,
                                                                distance);
  check(cudaGetLastError(), "launch of real ends");
}

}  // namespace shardfft::device
