// Bandwidth of the GPU's box copies against a plain copy, each checked exactly with index-encoded data.
#include "common.cuh"
#include "device/copy_box.hpp"

using namespace shardfft;

namespace {

struct Axis {
  std::int64_t count, from, to;
};

Box box_of(const std::vector<Axis>& axes, bool source) {
  Box box;
  for (const Axis& a : axes) {
    box.count[static_cast<std::size_t>(box.axes)] = a.count;
    box.stride[static_cast<std::size_t>(box.axes++)] = source ? a.from : a.to;
  }
  return box;
}

/// First 32 bits of every element hold its index in the source; counts elements that are not where they belong.
__global__ void encode(unsigned* a, std::size_t elements, int words) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < elements; i += step)
    for (int w = 0; w < words; ++w) a[i * words + w] = static_cast<unsigned>(i) + static_cast<unsigned>(w) * 0x1000193u;
}
struct Walk {
  int axes;
  Axis axis[4];
};
__global__ void verify(const unsigned* b, Walk walk, std::size_t elements, int words, unsigned long long* wrong) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < elements; i += step) {
    std::int64_t rest = static_cast<std::int64_t>(i), from = 0, to = 0;
    for (int a = walk.axes - 1; a >= 0; --a) {
      from += rest % walk.axis[a].count * walk.axis[a].from;
      to += rest % walk.axis[a].count * walk.axis[a].to;
      rest /= walk.axis[a].count;
    }
    for (int w = 0; w < words; ++w)
      if (b[to * words + w] != static_cast<unsigned>(from) + static_cast<unsigned>(w) * 0x1000193u)
        atomicAdd(wrong, 1ull);
  }
}

void run(const char* name, const std::vector<Axis>& axes, std::size_t element, std::byte* a, std::byte* b) {
  Walk walk{static_cast<int>(axes.size()), {}};
  std::size_t elements = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    walk.axis[i] = axes[i];
    elements *= static_cast<std::size_t>(axes[i].count);
  }
  const int words = static_cast<int>(element / 4);
  unsigned long long* wrong = nullptr;
  CHECK(cudaMalloc(&wrong, 8));
  CHECK(cudaMemset(wrong, 0, 8));
  CHECK(cudaMemset(b, 0xff, elements * element));
  const Box from = box_of(axes, true), to = box_of(axes, false);
  const double ms = bench::time_all(
      1, 2, 7, [] {}, [&] { device::copy_box(a, from, b, to, element, nullptr); });
  verify<<<2048, 256>>>(reinterpret_cast<unsigned*>(b), walk, elements, words, wrong);
  unsigned long long count = 0;
  CHECK(cudaMemcpy(&count, wrong, 8, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(wrong));
  const double plain = bench::time_all(
      1, 2, 7, [] {}, [&] { CHECK(cudaMemcpyAsync(b, a, elements * element, cudaMemcpyDeviceToDevice)); });
  bench::line(
      "\"driver\":\"box_copy\",\"case\":\"%s\",\"element\":%zu,\"ms\":%.3f,\"gb_s\":%.0f,\"of_plain_copy\":%.3f,"
      "\"wrong\":%llu",
      name, element, ms, 2e-6 * static_cast<double>(elements * element) / ms, plain / ms, count);
}

}  // namespace

int main() {
  std::byte *a = nullptr, *b = nullptr;
  const std::size_t bytes = std::size_t{4} << 30;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  for (const std::size_t element : {16, 8, 4}) {
    const std::int64_t n = 512, m = 509;  // m: nothing divides anything
    encode<<<2048, 256>>>(reinterpret_cast<unsigned*>(a), bytes / element, static_cast<int>(element / 4));
    CHECK(cudaDeviceSynchronize());
    run("pack half rows", {{n, n * n, n * n / 2}, {n / 2, n, n}, {n, 1, 1}}, element, a, b);
    run("pack short rows of 64", {{n, n * n, n * 64}, {n, n, 64}, {64, 1, 1}}, element, a, b);
    run("xyz to zyx", {{n, n * n, 1}, {n, n, n}, {n, 1, n * n}}, element, a, b);
    run("xyz to xzy", {{n, n * n, n * n}, {n, n, 1}, {n, 1, n}}, element, a, b);
    run("xyz to yzx, odd", {{m, m * m, 1}, {m, m, m * m}, {m, 1, m}}, element, a, b);
    run("rows, odd", {{m, m * m, m}, {m, m, m * m}, {m, 1, 1}}, element, a, b);
  }
}
