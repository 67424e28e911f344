#pragma once
// The slab transform of Verma et al. stage by stage, section 3 of the paper: 2-D real transforms of planes, local xy
// transpose, exchange of chunks, transpose of each chunk, strided transforms along x; inverse the other way round, then
// normalisation. One process, one GPU a rank, sizes that the GPUs divide. Every stage ends with all GPUs idle, so that
// its time is its own.
#include <array>
#include <functional>

#include "common.cuh"
#include "device/handles.hpp"
#include "device/vendor_fft.hpp"

namespace bench {

enum Stage { fft, slab_transpose, chunk_transpose, normalisation, communication, stages };
using StageTimes = std::array<double, stages>;

/// from[a][b][row] -> to[b][a][row], `blocks` times, blocks of both sides following each other.
template <class Number>
__global__ void swap_rows(const Number* from, Number* to, long long blocks, long long a, long long b, long long row) {
  const long long rows = blocks * a * b;
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    const long long block = r / (a * b), i = r / b % a, j = r % b;
    const Number* source = from + r * row;
    Number* target = to + (block * a * b + j * a + i) * row;
    for (long long k = threadIdx.x; k < row; k += blockDim.x) target[k] = source[k];
  }
}

template <class Real>
__global__ void multiply(Real* a, std::size_t count, double factor) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step)
    a[i] = static_cast<Real>(a[i] * factor);
}

class PaperSlab {
 public:
  PaperSlab(long long n, int gpus, bool wide) : n_(n), own_(n / gpus), half_(n / 2 + 1), gpus_(gpus), wide_(wide) {
    enable_peers(gpus);
    for (int g = 0; g < gpus; ++g) {
      CHECK(cudaSetDevice(g));
      gpus_of_.emplace_back();
      Gpu& gpu = gpus_of_.back();
      gpu.field = shardfft::device::make_memory(static_cast<std::size_t>(own_ * n * n) * (wide ? 8 : 4));
      for (auto& work : gpu.work) work = shardfft::device::make_memory(complex_bytes(own_ * n * half_));
      plan(gpu);
    }
  }

  void* field(int g) { return gpus_of_[static_cast<std::size_t>(g)].field.get(); }
  void* spectrum(int g) { return gpus_of_[static_cast<std::size_t>(g)].work[1].get(); }  // [n][n / gpus][n / 2 + 1]

  /// Adds the milliseconds of every stage.
  void forward(StageTimes& times) {
    using shardfft::Direction;
    stage(times, fft,
          [&](Gpu& gpu, int) { gpu.planes.execute(gpu.field.get(), gpu.work[0].get(), Direction::forward, nullptr); });
    stage(times, slab_transpose, [&](Gpu& gpu, int) { swap(gpu, 0, 1, 1, own_, n_); });
    stage(times, communication, [&](Gpu& gpu, int g) { exchange(gpu, g, 1, 0); });
    stage(times, chunk_transpose, [&](Gpu& gpu, int) { swap(gpu, 0, 1, gpus_, own_, own_); });
    stage(times, fft,
          [&](Gpu& gpu, int) { gpu.lines.execute(gpu.work[1].get(), gpu.work[1].get(), Direction::forward, nullptr); });
  }
  void backward(StageTimes& times) {
    using shardfft::Direction;
    stage(times, fft, [&](Gpu& gpu, int) {
      gpu.lines.execute(gpu.work[1].get(), gpu.work[1].get(), Direction::backward, nullptr);
    });
    stage(times, chunk_transpose, [&](Gpu& gpu, int) { swap(gpu, 1, 0, gpus_, own_, own_); });
    stage(times, communication, [&](Gpu& gpu, int g) { exchange(gpu, g, 0, 1); });
    stage(times, slab_transpose, [&](Gpu& gpu, int) { swap(gpu, 1, 0, 1, n_, own_); });
    stage(times, fft, [&](Gpu& gpu, int) {
      gpu.planes_back.execute(gpu.work[0].get(), gpu.field.get(), Direction::backward, nullptr);
    });
    stage(times, normalisation, [&](Gpu& gpu, int) { normalise(gpu); });
  }

 private:
  struct Gpu {
    shardfft::device::Memory field, work[2];
    shardfft::device::VendorFft planes, planes_back, lines;
  };

  std::size_t complex_bytes(long long count) const { return static_cast<std::size_t>(count) * (wide_ ? 16 : 8); }

  void plan(Gpu& gpu) {
    shardfft::device::VendorFftSpec spec;
    spec.precision = wide_ ? shardfft::Precision::f64 : shardfft::Precision::f32;
    spec.kind = shardfft::Kind::r2c;
    spec.extents = {n_, n_};
    spec.batch = own_;
    spec.in = {{n_, n_}, 1, n_ * n_};
    spec.out = {{n_, half_}, 1, n_ * half_};
    gpu.planes = shardfft::device::VendorFft(spec);
    spec.kind = shardfft::Kind::c2r;
    std::swap(spec.in, spec.out);
    gpu.planes_back = shardfft::device::VendorFft(spec);
    spec.kind = shardfft::Kind::c2c;
    spec.extents = {n_};
    spec.batch = own_ * half_;
    spec.in = spec.out = {{n_}, own_ * half_, 1};
    gpu.lines = shardfft::device::VendorFft(spec);
  }

  void stage(StageTimes& times, Stage which, const std::function<void(Gpu&, int)>& body) {
    const double begin = milliseconds();
    for (int g = 0; g < gpus_; ++g) {
      CHECK(cudaSetDevice(g));
      body(gpus_of_[static_cast<std::size_t>(g)], g);
    }
    synchronize_all(gpus_);
    times[which] += milliseconds() - begin;
  }

  void swap(Gpu& gpu, int from, int to, long long blocks, long long a, long long b) {
    const void* source = gpu.work[from].get();
    void* target = gpu.work[to].get();
    if (wide_)
      swap_rows<<<8192, 256>>>(static_cast<const double2*>(source), static_cast<double2*>(target), blocks, a, b, half_);
    else
      swap_rows<<<8192, 256>>>(static_cast<const float2*>(source), static_cast<float2*>(target), blocks, a, b, half_);
    CHECK(cudaGetLastError());
  }

  /// Chunk q of `from` here becomes chunk g of `to` on GPU q; the own chunk is a local copy.
  void exchange(Gpu& gpu, int g, int from, int to) {
    const std::size_t chunk = complex_bytes(own_ * own_ * half_);
    for (int step = 0; step < gpus_; ++step) {
      const int q = (g + step) % gpus_;
      const char* source = static_cast<const char*>(gpu.work[from].get()) + chunk * static_cast<std::size_t>(q);
      Gpu& peer = gpus_of_[static_cast<std::size_t>(q)];
      char* target = static_cast<char*>(peer.work[to].get()) + chunk * static_cast<std::size_t>(g);
      CHECK(cudaMemcpyPeerAsync(target, q, source, g, chunk, nullptr));
    }
  }

  void normalise(Gpu& gpu) {
    const auto count = static_cast<std::size_t>(own_ * n_ * n_);
    const double factor = 1 / (static_cast<double>(n_) * static_cast<double>(n_ * n_));
    if (wide_)
      multiply<<<4096, 256>>>(static_cast<double*>(gpu.field.get()), count, factor);
    else
      multiply<<<4096, 256>>>(static_cast<float*>(gpu.field.get()), count, factor);
    CHECK(cudaGetLastError());
  }

  long long n_, own_, half_;
  int gpus_;
  bool wide_;
  std::vector<Gpu> gpus_of_;
};

}  // namespace bench
