#include "base/check.hpp"
#include "device/cuda/block_sum.cuh"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"
#include "device/short_numbers.hpp"

namespace shardfft::device {
namespace {

constexpr int block = static_cast<int>(ShortNumbers::block);
static_assert(threads % block == 0);

/// The codes of a number of `bytes` bytes, as in pack/short_block.hpp.
struct Code {
  int bytes;
  __device__ unsigned long long middle() const { return 1ULL << (8 * bytes - 1); }
  __device__ unsigned long long top() const { return 2 * middle() - 1; }
  /// Rounds a number to an integer in its low bits, if added to it.
  __device__ double magic() const { return 4503599627370496.0 + static_cast<double>(middle()); }
  /// Exponent of the smallest scale with which no number up to `largest` is rounded beyond the codes.
  __device__ int exponent(double largest) const {
    const double bound = largest * (1 + 1 / static_cast<double>(middle()));
    const int exponent = static_cast<int>(__double_as_longlong(bound) >> 52) - 1022 - (8 * bytes - 1);
    return exponent < -1000 ? -1000 : exponent;
  }
};

constexpr int exponent_bias = 4096;
constexpr int unusual_bit = 0x4000;

__device__ double power_of_two(int exponent) {
  return __longlong_as_double(static_cast<long long>(exponent + 1023) << 52);
}
__device__ double largest_number(double) { return 1.7976931348623157e308; }
__device__ double largest_number(float) { return 3.4028234663852886e38; }

/// One thread a number. The threads of a group see each other's magnitudes and compute the same scale.
template <class Real>
__global__ void __launch_bounds__(threads)
    shorten_kernel(const Real* numbers, long long count, Code code, unsigned char* run, double* loss) {
  __shared__ double shared[threads];
  const int thread = static_cast<int>(threadIdx.x), first = thread / block * block;
  double error = 0, sent = 0;
  for (long long begin = blockIdx.x * static_cast<long long>(threads); begin < count;
       begin += gridDim.x * static_cast<long long>(threads)) {
    const long long i = begin + thread;
    const double number = i < count ? static_cast<double>(numbers[i]) : 0;
    __syncthreads();
    shared[thread] = fabs(number);
    __syncthreads();
    double largest = 0;
    bool unusual = false;
    for (int k = 0; k < block; ++k) {
      const double magnitude = shared[first + k];
      if (isfinite(magnitude))
        largest = magnitude > largest ? magnitude : largest;
      else
        unusual = true;
    }
    if (i >= count) continue;
    unusual = unusual || !(largest < largest_number(Real()) / 2);
    const double half = largest_number(double()) / 2;
    const int exponent = unusual ? code.exponent(largest < half ? largest : half) + 1 : code.exponent(largest);
    unsigned long long word = isnan(number) ? 0 : number < 0 ? 1 : code.top();
    if (isfinite(number)) {
      const double exact = number * power_of_two(-exponent), rounded = exact + code.magic();
      const double wrong = ((rounded - code.magic()) - exact) * power_of_two(exponent);
      error += wrong * wrong;
      sent += number * number;
      word = static_cast<unsigned long long>(__double_as_longlong(rounded));
    }
    unsigned char* const at = run + i / block * (2 + code.bytes * block);
    if (i % block == 0) {
      const int header = (exponent + exponent_bias) | (unusual ? unusual_bit : 0);
      at[0] = static_cast<unsigned char>(header);
      at[1] = static_cast<unsigned char>(header >> 8);
    }
    for (int k = 0; k < code.bytes; ++k)
      at[2 + i % block * code.bytes + k] = static_cast<unsigned char>(word >> (8 * k));
  }
  error = sum_of_block(error, shared);
  sent = sum_of_block(sent, shared);
  if (thread == 0) {
    atomicAdd(loss, error);
    atomicAdd(loss + 1, sent);
  }
}

template <class Real>
__global__ void __launch_bounds__(threads)
    restore_kernel(const unsigned char* run, long long count, Code code, Real* numbers) {
  for_all(count, [&](long long i) {
    const unsigned char* const at = run + i / block * (2 + code.bytes * block);
    const int header = at[0] | at[1] << 8;
    const bool unusual = (header & unusual_bit) != 0;
    unsigned long long word = 0;
    for (int k = 0; k < code.bytes; ++k)
      word |= static_cast<unsigned long long>(at[2 + i % block * code.bytes + k]) << (8 * k);
    const double scale = power_of_two((header & ~unusual_bit) - exponent_bias);
    double number = (__longlong_as_double(static_cast<long long>(word | 1075ULL << 52)) - code.magic()) * scale;
    if (unusual) {
      const double most = largest_number(Real()), infinity = __longlong_as_double(0x7ff0LL << 48);
      number = number > most ? most : number < -most ? -most : number;
      if (word == 0) number = infinity - infinity;
      if (word == 1) number = -infinity;
      if (word == code.top()) number = infinity;
    }
    numbers[i] = static_cast<Real>(number);
  });
}

}  // namespace

void shorten(const std::byte* numbers, std::int64_t count, const ShortNumbers& format, std::byte* run, Loss* loss,
             void* stream) {
  if (count == 0) return;
  const auto launch = [&](auto real) {
    using Real = decltype(real);
    shorten_kernel<<<blocks_for(count), threads, 0, static_cast<cudaStream_t>(stream)>>>(
        reinterpret_cast<const Real*>(numbers), count, Code{format.bytes}, reinterpret_cast<unsigned char*>(run),
        &loss->error);
    check(cudaGetLastError(), "launch of short numbers");
  };
  format.precision == Precision::f64 ? launch(double()) : launch(float());
}

void restore(const std::byte* run, std::int64_t count, const ShortNumbers& format, std::byte* numbers, void* stream) {
  if (count == 0) return;
  const auto launch = [&](auto real) {
    using Real = decltype(real);
    restore_kernel<<<blocks_for(count), threads, 0, static_cast<cudaStream_t>(stream)>>>(
        reinterpret_cast<const unsigned char*>(run), count, Code{format.bytes}, reinterpret_cast<Real*>(numbers));
    check(cudaGetLastError(), "launch of numbers restored");
  };
  format.precision == Precision::f64 ? launch(double()) : launch(float());
}

}  // namespace shardfft::device
