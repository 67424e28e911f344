// How fast this machine's memory is: what transforms are measured against.
//   memory_floor [-kib N] THREADS... : one JSON line for each number of threads, GB/s of payload (a copy of n bytes
//   counts n).
// Every thread has arrays of N KiB of its own; without -kib far more than its share of any cache.
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

constexpr std::size_t large = std::size_t{256} << 20;
constexpr int rounds = 7;
std::size_t bytes_each = large;  // a thread's array

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};
using Array = std::unique_ptr<std::byte, Free>;

Array make_array() {
  constexpr std::size_t page = std::size_t{2} << 20;
  Array array(static_cast<std::byte*>(std::aligned_alloc(page, (bytes_each + page - 1) / page * page)));
  std::memset(array.get(), 1, bytes_each);
  return array;
}

std::uint64_t read_all(const std::byte* p) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(p);
  return std::accumulate(words, words + bytes_each / sizeof(std::uint64_t), std::uint64_t{0});
}

/// Best of some rounds, each over as many bytes as a large array has, of work(thread, from, to) in `threads` threads at
/// once, in GB/s of payload.
template <class Work>
double speed(int threads, const Work& work) {
  double best = 0;
  const std::size_t times = large / bytes_each;
#pragma omp parallel num_threads(threads)
  {
    const Array from = make_array();
    const Array to = make_array();
    for (int round = 0; round < rounds; ++round) {
#pragma omp barrier
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t time = 0; time < times; ++time) {
        work(from.get(), to.get());
        asm volatile("" ::: "memory");  // nothing is left out as done before
      }
#pragma omp barrier
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
#pragma omp master
      best =
          std::max(best, static_cast<double>(threads) * static_cast<double>(times * bytes_each) / took.count() / 1e9);
    }
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  int first = 1;
  if (argc > 2 && std::strcmp(argv[1], "-kib") == 0) {
    bytes_each = static_cast<std::size_t>(std::atoi(argv[2])) << 10;
    first = 3;
  }
  if (argc <= first || bytes_each == 0 || bytes_each > large) {
    std::fprintf(stderr, "usage: memory_floor [-kib N] THREADS...\n");
    return 2;
  }
  for (int i = first; i < argc; ++i) {
    const int threads = std::atoi(argv[i]);
    if (threads < 1) return 2;
    volatile std::uint64_t sink = 0;
    const double copy = speed(threads, [](const std::byte* from, std::byte* to) { std::memcpy(to, from, bytes_each); });
    const double read = speed(threads, [&sink](const std::byte* from, std::byte*) { sink = sink + read_all(from); });
    std::printf("{\"threads\": %d, \"kib\": %zu, \"copy_gb_per_s\": %.1f, \"read_gb_per_s\": %.1f}\n", threads,
                bytes_each >> 10, copy, read);
    std::fflush(stdout);
  }
  return 0;
}
