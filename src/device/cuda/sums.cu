#include "base/check.hpp"
#include "device/cuda/block_sum.cuh"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"
#include "device/sums.hpp"

namespace shardfft::device {
namespace {

using Count = unsigned long long;

/// Lines as the kernel reads them. A block takes `lanes` lines and `chunk` consecutive points of each, with `rows`
/// threads a line: a long line is the work of several blocks.
struct Lines {
  static constexpr int most = max_axes;
  int unit_axes = 0, line_axes = 0;
  long long unit_count[most], unit_stride[most], unit_sum[most];
  long long line_count[most], line_stride[most], first_weight[most];
  long long line_step[most];  ///< `rows` points further, as digits
  long long lines = 0, points = 0, chunk = 0, chunks = 0;
  int lanes = 1, rows = threads;
  bool along = true;  ///< neighbouring threads read along the line, not across lines
  const double* weights = nullptr;
};

/// The place of a thread in a line with `axes` axes, the last one the fastest. It advances by sums and comparisons:
/// 64-bit divisions would cost more than the memory accesses.
template <int axes>
class LinePlace {
 public:
  __device__ LinePlace(const Lines& lines, long long point) : lines_(lines) {
#pragma unroll
    for (int a = axes - 1; a >= 0; --a) {
      const long long next = a > 0 ? point / lines.line_count[a] : 0;
      index_[a] = point - next * lines.line_count[a];
      point = next;
    }
  }
  __device__ void step() {
    bool carry = false;
#pragma unroll
    for (int a = axes - 1; a >= 0; --a) {
      const long long by = lines_.line_step[a] + (carry ? 1 : 0);
      stale_ = stale_ || (a < axes - 1 && by > 0);
      index_[a] += by;
      carry = a > 0 && index_[a] >= lines_.line_count[a];
      if (carry) index_[a] -= lines_.line_count[a];
    }
  }
  __device__ long long offset() const {
    long long sum = 0;
#pragma unroll
    for (int a = 0; a < axes; ++a) sum += index_[a] * lines_.line_stride[a];
    return sum;
  }
  __device__ Complex<double> weight() {
    if (stale_) weigh();
    stale_ = false;
    return times(outer_, axes - 1);
  }

 private:
  __device__ Complex<double> times(const Complex<double>& x, int a) const {
    const double* const w = lines_.weights + 2 * (lines_.first_weight[a] + index_[a]);
    return {x.re * w[0] - x.im * w[1], x.re * w[1] + x.im * w[0]};
  }
  /// The product of the weights of all axes except the fastest.
  __device__ void weigh() {
    outer_ = {1, 0};
#pragma unroll
    for (int a = 0; a < axes - 1; ++a) outer_ = times(outer_, a);
  }

  const Lines& lines_;
  long long index_[axes];
  bool stale_ = true;
  Complex<double> outer_{1, 0};
};

template <class T>
__device__ Complex<double> number(const Complex<T>& x) {
  return {static_cast<double>(x.re), static_cast<double>(x.im)};
}
__device__ Complex<double> number(double x) { return {x, 0}; }
__device__ Complex<double> number(float x) { return {static_cast<double>(x), 0}; }

__device__ Count bits_of(double x) {
  const auto bits = static_cast<Count>(__double_as_longlong(x));
  return (bits & 0xffffffffULL) + (bits >> 32);
}
__device__ Count bits_of(float x) { return __float_as_uint(x); }
template <class T>
__device__ Count bits_of(const Complex<T>& x) {
  return bits_of(x.re) + bits_of(x.im);
}

template <class Number, int axes>
__global__ void __launch_bounds__(threads)
    weighted_kernel(const Number* array, const __grid_constant__ Lines lines, double* sums, Count* bits) {
  __shared__ double shared[3][threads];
  __shared__ Count shared_bits[threads];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = lines.along ? thread / lines.rows : thread % lines.lanes;
  const int row = lines.along ? thread % lines.rows : thread / lines.lanes;
  const int at = row * lines.lanes + lane;
  const long long blocks = (lines.lines + lines.lanes - 1) / lines.lanes * lines.chunks;
  Count words = 0;
  for (long long block = blockIdx.x; block < blocks; block += gridDim.x) {
    const long long line = block / lines.chunks * lines.lanes + lane;
    const long long begin = block % lines.chunks * lines.chunk;
    const long long end = begin + lines.chunk < lines.points ? begin + lines.chunk : lines.points;
    double real = 0, imag = 0, squares = 0;
    long long sum = 0, place = 0, left = line < lines.lines ? line : 0;
    for (int a = lines.unit_axes - 1; a >= 0; --a) {
      const long long i = left % lines.unit_count[a];
      left /= lines.unit_count[a];
      place += i * lines.unit_stride[a];
      sum += i * lines.unit_sum[a];
    }
    LinePlace<axes> point(lines, begin + row);
    for (long long p = begin + row; line < lines.lines && p < end; p += lines.rows, point.step()) {
      const Complex<double> weight = point.weight();
      const Number value = array[place + point.offset()];
      const Complex<double> x = number(value);
      words += bits_of(value);
      real += x.re * weight.re - x.im * weight.im;
      imag += x.re * weight.im + x.im * weight.re;
      squares += x.re * x.re + x.im * x.im;
    }
    shared[0][at] = real;
    shared[1][at] = imag;
    shared[2][at] = squares;
    for (int half = lines.rows / 2; half > 0; half /= 2) {
      __syncthreads();
      if (row < half)
        for (int k = 0; k < 3; ++k) shared[k][at] += shared[k][at + half * lines.lanes];
    }
    if (row == 0 && line < lines.lines)
      for (int k = 0; k < 3; ++k) atomicAdd(sums + sum + k * lines.lines, shared[k][at]);
    __syncthreads();
  }
  const Count all = sum_of_block(words, shared_bits);
  if (thread == 0) atomicAdd(bits, all);
}

int power_of_two_for(long long count, int most) {
  int power = 1;
  while (power < most && power < count) power *= 2;
  return power;
}

Lines lines_of(const WeightedSums& what) {
  constexpr int most_lanes = 32, least_rows = 32, points_a_thread = 64, least_points_a_thread = 8;
  Lines lines;
  if (what.units.size() > Lines::most || what.line.size() > Lines::most)
    fail(Status::internal, "too many axes to sum over");
  for (const Loop& loop : what.units) {
    lines.unit_count[lines.unit_axes] = loop.count;
    lines.unit_stride[lines.unit_axes] = loop.from;
    lines.unit_sum[lines.unit_axes++] = loop.to;
  }
  long long weight = 0;
  for (const Loop& loop : what.line) {
    lines.line_count[lines.line_axes] = loop.count;
    lines.line_stride[lines.line_axes] = loop.from;
    lines.first_weight[lines.line_axes++] = weight;
    weight += loop.count;
  }
  lines.lines = what.lines();
  lines.points = what.points();
  lines.weights = what.weights;
  lines.along = what.units.empty() || (!what.line.empty() && what.line.back().from < what.units.back().from);
  if (lines.along) {
    const long long rows = std::max<long long>(least_rows, lines.points / least_points_a_thread);
    lines.rows = power_of_two_for(std::min(rows, lines.points), threads);
    lines.lanes = threads / lines.rows;
  } else {
    lines.lanes = power_of_two_for(lines.lines, most_lanes);
    lines.rows = threads / lines.lanes;
  }
  long long left = lines.rows;
  for (int a = lines.line_axes - 1; a >= 0; --a) {
    lines.line_step[a] = a > 0 ? left % lines.line_count[a] : left;
    left /= lines.line_count[a];
  }
  lines.chunk = static_cast<long long>(lines.rows) * points_a_thread;
  lines.chunks = (lines.points + lines.chunk - 1) / lines.chunk;
  return lines;
}

/// The destination of an array's sums.
struct Sums {
  double* of_lines;
  Count* bits;
};

template <class Number, int axes>
void launch_weighted(const std::byte* array, const Lines& lines, const Sums& sums, cudaStream_t stream) {
  const long long blocks = (lines.lines + lines.lanes - 1) / lines.lanes * lines.chunks;
  weighted_kernel<Number, axes><<<blocks_for(blocks * threads), threads, 0, stream>>>(
      reinterpret_cast<const Number*>(array), lines, sums.of_lines, sums.bits);
  check(cudaGetLastError(), "launch of weighted sums");
}

template <class Number>
void run_weighted(const std::byte* array, const Lines& lines, const Sums& sums, cudaStream_t stream) {
  switch (lines.line_axes) {
    case 1:
      return launch_weighted<Number, 1>(array, lines, sums, stream);
    case 2:
      return launch_weighted<Number, 2>(array, lines, sums, stream);
    case 3:
      return launch_weighted<Number, 3>(array, lines, sums, stream);
    case 4:
      return launch_weighted<Number, 4>(array, lines, sums, stream);
    default:
      fail(Status::internal, "sums of lines of ", lines.line_axes, " axes");
  }
}

/// A box of words of 32 bits: axis 0 is the slowest.
struct Words {
  static constexpr int most = max_axes + 1;
  int axes = 0;
  long long count[most], stride[most];
  long long offset = 0, all = 1;
};

Words words_of(const Box& box, std::size_t element_bytes) {
  const auto each = static_cast<long long>(element_bytes / sizeof(std::uint32_t));
  Words words;
  words.offset = box.offset * each;
  for (int a = 0; a < box.axes; ++a) {
    words.count[words.axes] = box.count[static_cast<std::size_t>(a)];
    words.stride[words.axes++] = box.stride[static_cast<std::size_t>(a)] * each;
  }
  if (words.axes > 0 && words.stride[words.axes - 1] == each) {
    words.count[words.axes - 1] *= each;
    words.stride[words.axes - 1] = 1;
  } else {
    words.count[words.axes] = each;
    words.stride[words.axes++] = 1;
  }
  for (int a = 0; a < words.axes; ++a) words.all *= words.count[a];
  return words;
}

__global__ void __launch_bounds__(threads)
    bits_kernel(const unsigned* array, const __grid_constant__ Words words, Count* sum) {
  __shared__ Count shared[threads];
  Count mine = 0;
  for_all(words.all, [&](long long i) {
    long long place = words.offset;
    for (int a = words.axes - 1; a > 0; --a) {
      const long long n = words.count[a];
      place += i % n * words.stride[a];
      i /= n;
    }
    mine += array[place + i * words.stride[0]];
  });
  mine = sum_of_block(mine, shared);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

__global__ void __launch_bounds__(threads)
    differences_kernel(const unsigned* one, const unsigned* other, long long count, Count* sum) {
  __shared__ Count shared[threads];
  Count mine = 0;
  for_all(count, [&](long long i) { mine += one[i] != other[i] ? 1 : 0; });
  mine = sum_of_block(mine, shared);
  if (threadIdx.x == 0 && mine > 0) atomicAdd(sum, mine);
}

/// Doubles that are not negative have the order of their bits as 64-bit integers.
__global__ void __launch_bounds__(threads)
    compare_kernel(const LineSums before, const LineSums after, const LineLimits limits, Count* result) {
  __shared__ Count shared[threads];
  Count compared = 0;
  double most = 0;
  for_all(before.lines, [&](long long line) {
    const double residual = line_residual(limits, before, after, line);
    if (residual >= 0) ++compared;
    most = fmax(most, residual);
  });
  compared = sum_of_block(compared, shared);
  if (threadIdx.x == 0) atomicAdd(result, compared);
  if (most > 0) atomicMax(result + 1, static_cast<Count>(__double_as_longlong(most)));
}

LineSums sums_of(const double* sums, std::int64_t lines) { return {sums, sums + lines, sums + 2 * lines, lines}; }

}  // namespace

void add_weighted(const std::byte* array, const WeightedSums& what, double* sums, std::uint64_t* bits, void* stream) {
  const Lines lines = lines_of(what);
  if (lines.lines == 0 || lines.points == 0) return;
  const bool wide = what.element.precision == Precision::f64;
  const auto run = what.element.is_complex ? (wide ? run_weighted<Complex<double>> : run_weighted<Complex<float>>)
                                           : (wide ? run_weighted<double> : run_weighted<float>);
  run(array, lines, {sums, reinterpret_cast<Count*>(bits)}, static_cast<cudaStream_t>(stream));
}

void add_bits(const std::byte* array, const Box& box, std::size_t element_bytes, std::uint64_t* sum, void* stream) {
  if (box.elements() == 0) return;
  const Words words = words_of(box, element_bytes);
  bits_kernel<<<blocks_for(words.all), threads, 0, static_cast<cudaStream_t>(stream)>>>(
      reinterpret_cast<const unsigned*>(array), words, reinterpret_cast<Count*>(sum));
  check(cudaGetLastError(), "launch of a sum of bits");
}

void add_differences(const std::byte* one, const std::byte* other, std::size_t bytes, std::uint64_t* sum,
                     void* stream) {
  if (bytes == 0) return;
  const auto count = static_cast<long long>(bytes / sizeof(std::uint32_t));
  differences_kernel<<<blocks_for(count), threads, 0, static_cast<cudaStream_t>(stream)>>>(
      reinterpret_cast<const unsigned*>(one), reinterpret_cast<const unsigned*>(other), count,
      reinterpret_cast<Count*>(sum));
  check(cudaGetLastError(), "launch of a comparison");
}

void compare_lines(const double* before, const double* after, std::int64_t lines, const LineLimits& limits,
                   std::uint64_t* result, void* stream) {
  if (lines == 0) return;
  compare_kernel<<<blocks_for(lines), threads, 0, static_cast<cudaStream_t>(stream)>>>(
      sums_of(before, lines), sums_of(after, lines), limits, reinterpret_cast<Count*>(result));
  check(cudaGetLastError(), "launch of a comparison of sums");
}

}  // namespace shardfft::device
