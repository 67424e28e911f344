// The rate of fused multiply-adds in registers, against which matrix products are measured.
//   fma_peak THREADS... : one JSON line for each number of threads, GFlop/s of double precision of all of them.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Lanes [[gnu::vector_size(64)]] = double;
constexpr int chains = 16;  // more than two units with a latency of four cycles keep busy
constexpr int steps = 10'000'000;
constexpr int rounds = 7;

/// The sum of `chains` vectors after `steps` multiply-adds each.
double multiply_add(double by) {
  Lanes sums[chains], factor = by - Lanes{}, term = 1e-9 - Lanes{};
  for (int chain = 0; chain < chains; ++chain) sums[chain] = double(chain) - Lanes{};
  for (int step = 0; step < steps; ++step)
#pragma GCC unroll 16
    for (int chain = 0; chain < chains; ++chain) sums[chain] = sums[chain] * factor + term;
  double all = 0;
  for (const Lanes& sum : sums)
    for (int lane = 0; lane < 8; ++lane) all += sum[lane];
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fma_peak THREADS...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const int threads = std::atoi(argv[i]);
    if (threads < 1) return 2;
    double best = 0;
#pragma omp parallel num_threads(threads)
    for (int round = 0; round < rounds; ++round) {
#pragma omp barrier
      const auto begin = std::chrono::steady_clock::now();
      double by = 0.999999;
      asm volatile("" : "+x"(by));  // nobody knows what it is now, nor what becomes of the sum: no round is left out
      const double sum = multiply_add(by);
      asm volatile("" : : "x"(sum));
#pragma omp barrier
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
#pragma omp master
      best = std::max(best, 2e-9 * 8 * chains * steps * threads / took.count());
    }
    std::printf("{\"threads\": %d, \"gflop_per_s\": %.1f}\n", threads, best);
    std::fflush(stdout);
  }
  return 0;
}
