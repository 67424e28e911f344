// How fast this machine's memory is: what transforms are measured against.
//   memory_floor THREADS... : one JSON line for each number of threads, GB/s of payload (a copy of n bytes counts n).
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

namespace {

constexpr std::size_t bytes_each = std::size_t{256} << 20;  // a thread's array: far more than its share of any cache
constexpr int rounds = 7;

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};
using Array = std::unique_ptr<std::byte, Free>;

Array make_array() {
  Array array(static_cast<std::byte*>(std::aligned_alloc(std::size_t{2} << 20, bytes_each)));
  std::memset(array.get(), 1, bytes_each);
  return array;
}

std::uint64_t read_all(const std::byte* p) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(p);
  return std::accumulate(words, words + bytes_each / sizeof(std::uint64_t), std::uint64_t{0});
}

/// Best of some rounds of work(thread, from, to) in `threads` threads at once, in GB/s of payload.
template <class Work>
double speed(int threads, const Work& work) {
  double best = 0;
#pragma omp parallel num_threads(threads)
  {
    const Array from = make_array();
    const Array to = make_array();
    for (int round = 0; round < rounds; ++round) {
#pragma omp barrier
      const auto begin = std::chrono::steady_clock::now();
      work(from.get(), to.get());
#pragma omp barrier
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
#pragma omp master
      best = std::max(best, static_cast<double>(threads) * static_cast<double>(bytes_each) / took.count() / 1e9);
    }
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: memory_floor THREADS...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const int threads = std::atoi(argv[i]);
    if (threads < 1) return 2;
    volatile std::uint64_t sink = 0;
    const double copy = speed(threads, [](const std::byte* from, std::byte* to) { std::memcpy(to, from, bytes_each); });
    const double read = speed(threads, [&sink](const std::byte* from, std::byte*) { sink = sink + read_all(from); });
    std::printf("{\"threads\": %d, \"copy_gb_per_s\": %.1f, \"read_gb_per_s\": %.1f}\n", threads, copy, read);
    std::fflush(stdout);
  }
  return 0;
}
