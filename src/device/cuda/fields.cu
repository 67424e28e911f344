#include <cmath>

#include "base/check.hpp"
#include "device/cuda/block_sum.cuh"
#include "device/cuda/vendor.hpp"
#include "device/cuda/walk.cuh"
#include "device/fields.hpp"
#include "pack/loop_nest.hpp"

namespace shardfft::device {
namespace {

/// A piece as the kernel reads it. `width` threads of a block, a power of two, walk along the axis with the least
/// stride; the others and the blocks walk over its lines. Sums of few shells are made in memory of the block.
struct ShellPass {
  Walk walk;
  long long squares[walk_axes], weights[walk_axes];  ///< the place in `tables` of each axis's numbers
  const double* tables;
  double* sums;
  Summand summand;
  double shell_width;
  long long shells;
  bool in_block;
  int width;
};
constexpr long long most_in_block = 4096;
/// The most threads along one line, as for operators.
constexpr int longest_row = 32;

template <class T>
__device__ double term(Complex<T> a, Complex<T> b, Summand summand) {
  const double re = a.re, im = a.im;
  if (summand == Summand::product) return re * static_cast<double>(b.re) + im * static_cast<double>(b.im);
  return summand == Summand::size ? hypot(re, im) : re;
}
template <class T>
__device__ double term(T a, T b, Summand summand) {
  const double x = a;
  if (summand == Summand::product) return x * static_cast<double>(b);
  return summand == Summand::size ? fabs(x) : x;
}

/// A thread adds to the shared sums when its next number is of another shell.
template <class Number>
__global__ void __launch_bounds__(threads)
    shells_kernel(const Number* a, const Number* b, const __grid_constant__ ShellPass pass) {
  extern __shared__ double of_block[];
  double* const sums = pass.in_block ? of_block : pass.sums;
  for (long long s = threadIdx.x; pass.in_block && s < pass.shells; s += threads) sums[s] = 0;
  __syncthreads();
  const Walk& walk = pass.walk;
  const int x = static_cast<int>(threadIdx.x) & (pass.width - 1), y = static_cast<int>(threadIdx.x) / pass.width;
  const int inner = walk.axes - 1, axis = walk.axis[inner], rows = threads / pass.width;
  const long long length = walk.count[inner], step = static_cast<long long>(gridDim.x) * rows;
  long long shell = 0;
  double sum = 0;
  for (long long line = blockIdx.x * static_cast<long long>(rows) + y; line * length < walk.elements; line += step) {
    long long index[walk_axes];
    const long long first = locate(walk, line, index, inner);
    for (long long i = x; i < length; i += pass.width) {
      index[axis] = walk.first[inner] + i * walk.step[inner];
      const long long place = first + i * walk.stride[inner];
      double square = 0, weight = 1;
      for (int s = 0; s < walk.axes; ++s) {
        square += pass.tables[pass.squares[s] + index[s]];
        weight *= pass.tables[pass.weights[s] + index[s]];
      }
      const auto here = static_cast<long long>(sqrt(square) / pass.shell_width + 0.5);
      if (here != shell) {
        atomicAdd(sums + shell, sum);
        shell = here;
        sum = 0;
      }
      sum += weight * term(a[place], pass.summand == Summand::product ? b[place] : a[place], pass.summand);
    }
  }
  atomicAdd(sums + shell, sum);
  __syncthreads();
  for (long long s = threadIdx.x; pass.in_block && s < pass.shells; s += threads)
    if (sums[s] != 0) atomicAdd(pass.sums + s, sums[s]);
}

template <class Number>
void run_shells(const std::byte* a, const std::byte* b, const ShellPass& pass, cudaStream_t stream) {
  const long long lines = pass.walk.elements / pass.walk.count[pass.walk.axes - 1];
  const std::size_t bytes = pass.in_block ? static_cast<std::size_t>(pass.shells) * sizeof(double) : 0;
  shells_kernel<<<blocks_for(lines * pass.width), threads, bytes, stream>>>(reinterpret_cast<const Number*>(a),
                                                                            reinterpret_cast<const Number*>(b), pass);
  check(cudaGetLastError(), "launch of sums in shells");
}

/// One block a run. Threads keep their numbers of a block in registers, and sum them about the block's mean.
template <class T>
__global__ void __launch_bounds__(threads)
    powers_kernel(const T* array, long long count, long long runs, long long parts, Powers* powers) {
  constexpr int each = 16;
  constexpr long long size = static_cast<long long>(each) * threads;
  __shared__ double shared[threads];
  const auto sum = [&](double x) { return sum_of_block(x, shared); };
  for (long long run = blockIdx.x; run < runs; run += gridDim.x) {
    // As block_part().
    const long long part = run % parts, longer = count % parts;
    const long long begin = run / parts * count + part * (count / parts) + (part < longer ? part : longer);
    const long long end = begin + count / parts + (part < longer ? 1 : 0);
    Powers all;
    for (long long first = begin; first < end; first += size) {
      const long long here = end - first < size ? end - first : size;
      double x[each], total = 0, rest = 0, powers_of_thread[3] = {0, 0, 0}, least = INFINITY, largest = -INFINITY;
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const long long i = k * threads + static_cast<long long>(threadIdx.x);
        x[k] = i < here ? static_cast<double>(array[first + i]) : 0;
        total += x[k];
      }
      const double near = sum(total) / static_cast<double>(here);
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (k * threads + static_cast<long long>(threadIdx.x) < here) rest += x[k] - near;
      const double mean = near + sum(rest) / static_cast<double>(here);
#pragma unroll
      for (int k = 0; k < each; ++k) {
        if (k * threads + static_cast<long long>(threadIdx.x) >= here) continue;
        const double d = x[k] - mean, square = d * d;
        powers_of_thread[0] += square;
        powers_of_thread[1] += square * d;
        powers_of_thread[2] += square * square;
        least = fmin(least, x[k]);
        largest = fmax(largest, x[k]);
      }
      all.join({static_cast<double>(here), mean, sum(powers_of_thread[0]), sum(powers_of_thread[1]),
                sum(powers_of_thread[2]), join_block(least, shared, [](double a, double b) { return fmin(a, b); }),
                join_block(largest, shared, [](double a, double b) { return fmax(a, b); })});
    }
    if (threadIdx.x == 0) powers[run] = all;
  }
}

template <class T>
void run_powers(const std::byte* array, std::int64_t count, std::int64_t runs, std::int64_t parts, Powers* powers,
                cudaStream_t stream) {
  powers_kernel<<<blocks_for(runs * threads), threads, 0, stream>>>(reinterpret_cast<const T*>(array), count, runs,
                                                                    parts, powers);
  check(cudaGetLastError(), "launch of sums of powers");
}

/// Two boxes as the kernel reads them; elements have `parts` real numbers.
struct Boxes {
  static constexpr int most = 2 * max_axes;
  int depth = 0, parts = 1;
  long long count[most], from[most], to[most];
  long long from_offset = 0, to_offset = 0, elements = 0;
};

/// Without a source it writes 0.
template <class T>
__global__ void __launch_bounds__(threads)
    add_kernel(const T* source, T* destination, const __grid_constant__ Boxes boxes) {
  for_all(boxes.elements * boxes.parts, [&](long long i) {
    long long left = i / boxes.parts, from = boxes.from_offset, to = boxes.to_offset;
    for (int a = boxes.depth - 1; a >= 0; --a) {
      const long long at = left % boxes.count[a];
      left /= boxes.count[a];
      from += at * boxes.from[a];
      to += at * boxes.to[a];
    }
    T& number = destination[to * boxes.parts + i % boxes.parts];
    number = source == nullptr ? T(0) : number + source[from * boxes.parts + i % boxes.parts];
  });
}

template <class T>
void run_add(const std::byte* source, std::byte* destination, const Boxes& boxes, void* stream) {
  add_kernel<<<blocks_for(boxes.elements * boxes.parts), threads, 0, static_cast<cudaStream_t>(stream)>>>(
      reinterpret_cast<const T*>(source), reinterpret_cast<T*>(destination), boxes);
  check(cudaGetLastError(), "launch of an addition of boxes");
}

void add(const std::byte* source, const Box& from, std::byte* destination, const Box& to, ElementType element,
         void* stream) {
  if (to.elements() == 0) return;
  const LoopNest nest = common_refinement(from, to);
  Boxes boxes;
  boxes.depth = nest.depth;
  boxes.parts = element.is_complex ? 2 : 1;
  for (int a = 0; a < nest.depth; ++a) {
    const Loop& loop = nest.loop[static_cast<std::size_t>(a)];
    boxes.count[a] = loop.count;
    boxes.from[a] = loop.from;
    boxes.to[a] = loop.to;
  }
  boxes.from_offset = nest.from_offset;
  boxes.to_offset = nest.to_offset;
  boxes.elements = nest.elements();
  (element.precision == Precision::f64 ? run_add<double> : run_add<float>)(source, destination, boxes, stream);
}

}  // namespace

void add_in_shells(const std::byte* a, const std::byte* b, const ShellSums& what, const double* tables, double* sums,
                   void* stream) {
  const bool wide = what.element.precision == Precision::f64;
  const auto run = what.element.is_complex ? (wide ? run_shells<Complex<double>> : run_shells<Complex<float>>)
                                           : (wide ? run_shells<double> : run_shells<float>);
  for (const Piece& piece : what.pieces) {
    if (piece.set.empty()) continue;
    ShellPass pass{
        walk_of(piece), {}, {}, tables, sums, what.summand, what.width, what.shells, what.shells <= most_in_block, 1};
    long long place = 0;
    for (std::size_t axis = 0; axis < what.extents.size(); ++axis, place += 2 * what.extents[axis - 1]) {
      pass.squares[axis] = place;
      pass.weights[axis] = place + what.extents[axis];
    }
    while (pass.width < longest_row && pass.width < pass.walk.count[pass.walk.axes - 1]) pass.width *= 2;
    run(a, b, pass, static_cast<cudaStream_t>(stream));
  }
}

void powers_of_runs(const std::byte* array, std::int64_t count, std::int64_t fields, std::int64_t parts,
                    Precision precision, Powers* powers, void* stream) {
  (precision == Precision::f64 ? run_powers<double> : run_powers<float>)(array, count, fields * parts, parts, powers,
                                                                         static_cast<cudaStream_t>(stream));
}

void add_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to, ElementType element,
             void* stream) {
  add(source, from, destination, to, element, stream);
}

void clear_box(std::byte* array, const Box& box, ElementType element, void* stream) {
  add(nullptr, box, array, box, element, stream);
}

}  // namespace shardfft::device
