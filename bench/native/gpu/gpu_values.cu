#include <cmath>
#include <cstring>
#include <limits>

#include "gpu_values.hpp"

namespace shardfft::bench {
namespace {

constexpr int threads = 256;

struct Factors {
  const double2* at[Field::terms][3];
};

// `offset`: where each begins in the memory.
Factors factors_of(const DeviceBuffer& memory, const std::size_t (&offset)[Field::terms][3]) {
  Factors factors;
  for (int term = 0; term < Field::terms; ++term)
    for (int axis = 0; axis < 3; ++axis)
      factors.at[term][axis] = static_cast<const double2*>(memory.get()) + offset[term][axis];
  return factors;
}

// Sums over all points; `largest` holds the bits of a number that is not negative, which order as the number does.
struct Sums {
  double squares, reference;
  unsigned long long largest, not_finite;
};

__device__ double2 times(double2 a, double2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }

// Points of the part are walked row by row: a block has a run of the last axis of one row after the other.
struct Walk {
  long long lower[3], count[3], stride[3];

  template <class Visit>
  __device__ void operator()(const Factors& f, Visit visit) const {
    const long long rows = count[0] * count[1];
    for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
      const long long i = row / count[1], j = row % count[1];
      const double2 row1 = times(f.at[0][0][lower[0] + i], f.at[0][1][lower[1] + j]);
      const double2 row2 = times(f.at[1][0][lower[0] + i], f.at[1][1][lower[1] + j]);
      for (long long k = blockIdx.x * (long long)threads + threadIdx.x; k < count[2];
           k += gridDim.x * (long long)threads) {
        const double2 a = times(row1, f.at[0][2][lower[2] + k]), b = times(row2, f.at[1][2][lower[2] + k]);
        visit(i * stride[0] + j * stride[1] + k * stride[2], double2{a.x + b.x, a.y + b.y});
      }
    }
  }
};

// Real numbers and complex pairs behind one face.
__device__ void put(float* a, double2 v) { *a = static_cast<float>(v.x); }
__device__ void put(double* a, double2 v) { *a = v.x; }
__device__ void put(float2* a, double2 v) { *a = {static_cast<float>(v.x), static_cast<float>(v.y)}; }
__device__ void put(double2* a, double2 v) { *a = v; }
__device__ double2 get(float a) { return {a, 0}; }
__device__ double2 get(double a) { return {a, 0}; }
__device__ double2 get(float2 a) { return {a.x, a.y}; }
__device__ double2 get(double2 a) { return a; }

template <class T>
__global__ void fill_kernel(Factors factors, Walk walk, T* data) {
  walk(factors, [&](long long at, double2 exact) { put(data + at, exact); });
}

__device__ double sum_of_block(double mine, double* scratch) {
  scratch[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
  }
  __syncthreads();
  const double total = scratch[0];
  __syncthreads();
  return total;
}

template <class T>
__global__ void compare_kernel(Factors factors, Walk walk, const T* data, double scale, Sums* sums) {
  __shared__ double scratch[threads];
  double squares = 0, reference = 0, largest = 0;
  bool finite = true;
  walk(factors, [&](long long at, double2 exact) {
    const double2 found = get(data[at]);
    const double x = found.x / scale - exact.x, y = found.y / scale - exact.y, square = x * x + y * y;
    finite = finite && isfinite(square);
    largest = fmax(largest, square);
    squares += square;
    reference += exact.x * exact.x + exact.y * exact.y;
  });
  squares = sum_of_block(squares, scratch);
  reference = sum_of_block(reference, scratch);
  atomicMax(&sums->largest, static_cast<unsigned long long>(__double_as_longlong(largest)));
  if (!finite) atomicAdd(&sums->not_finite, 1ull);
  if (threadIdx.x != 0) return;
  atomicAdd(&sums->squares, squares);
  atomicAdd(&sums->reference, reference);
}

Walk walk_of(const Part& part) {
  Walk walk{};
  for (int axis = 0; axis < 3; ++axis) {
    walk.lower[axis] = part.lower[axis];
    walk.count[axis] = part.count[axis];
    walk.stride[axis] = part.stride[axis];
  }
  return walk;
}

dim3 grid_of(const Part& part) {
  const auto across = std::min<std::int64_t>(64, (part.count[2] + threads - 1) / threads);
  return {static_cast<unsigned>(across),
          static_cast<unsigned>(std::min<std::int64_t>(8192, part.count[0] * part.count[1]))};
}

// visit(typed pointer) of a buffer.
template <class Visit>
void typed(const Case& wanted, Side side, void* data, Visit visit) {
  if (side == Side::field && wanted.real())
    wanted.single() ? visit(static_cast<float*>(data)) : visit(static_cast<double*>(data));
  else
    wanted.single() ? visit(static_cast<float2*>(data)) : visit(static_cast<double2*>(data));
}

}  // namespace

GpuValues::GpuValues(const Case& wanted, GpuAdapter& adapter) : case_(wanted), adapter_(adapter) {
  const Field exact(wanted);
  std::vector<std::complex<double>> all;
  for (const Side side : {Side::field, Side::spectrum})
    for (int term = 0; term < Field::terms; ++term)
      for (int axis = 0; axis < 3; ++axis) {
        const auto& factor = side == Side::field ? exact.field_factor(term, axis) : exact.spectrum_factor(term, axis);
        offset_[static_cast<int>(side)][term][axis] = all.size();
        all.insert(all.end(), factor.begin(), factor.end());
      }
  for (const auto& piece : adapter.pieces(Side::field)) {
    BENCH_GPU_CHECK(cudaSetDevice(piece.device));
    Tables tables{DeviceBuffer(all.size() * sizeof(double2)), DeviceBuffer(sizeof(Sums))};
    BENCH_GPU_CHECK(cudaMemcpy(tables.memory.get(), all.data(), all.size() * sizeof(double2), cudaMemcpyHostToDevice));
    tables_.push_back(std::move(tables));
  }
}

void GpuValues::fill(Side side) {
  const auto& pieces = adapter_.pieces(side);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].part.volume() == 0) continue;
    BENCH_GPU_CHECK(cudaSetDevice(pieces[p].device));
    const Factors factors = factors_of(tables_[p].memory, offset_[static_cast<int>(side)]);
    typed(case_, side, pieces[p].data, [&](auto* data) {
      fill_kernel<<<grid_of(pieces[p].part), threads>>>(factors, walk_of(pieces[p].part), data);
    });
    BENCH_GPU_CHECK(cudaGetLastError());
  }
  adapter_.filled(side);
  adapter_.finish();
}

ErrorSums GpuValues::compare(Side side, double scale) {
  ErrorSums total;
  bool finite = true;
  const auto& pieces = adapter_.pieces(side);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].part.volume() == 0) continue;
    BENCH_GPU_CHECK(cudaSetDevice(pieces[p].device));
    const Factors factors = factors_of(tables_[p].memory, offset_[static_cast<int>(side)]);
    auto* sums = static_cast<Sums*>(tables_[p].sums.get());
    BENCH_GPU_CHECK(cudaMemset(sums, 0, sizeof *sums));
    typed(case_, side, pieces[p].data, [&](auto* data) {
      compare_kernel<<<grid_of(pieces[p].part), threads>>>(factors, walk_of(pieces[p].part), data, scale, sums);
    });
    BENCH_GPU_CHECK(cudaGetLastError());
    Sums found;
    BENCH_GPU_CHECK(cudaMemcpy(&found, sums, sizeof found, cudaMemcpyDeviceToHost));
    finite = finite && found.not_finite == 0;
    double largest;
    static_assert(sizeof largest == sizeof found.largest);
    std::memcpy(&largest, &found.largest, sizeof largest);
    total.largest = std::max(total.largest, std::sqrt(largest));
    total.squares += found.squares;
    total.reference += found.reference;
  }
  if (!finite) total.largest = std::numeric_limits<double>::quiet_NaN();
  return total;
}

}  // namespace shardfft::bench
