#pragma once
// Random tests that can be repeated: the seed is printed, and SHARDFFT_TEST_SEED sets it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace shardfft::test {

/// Gives all ranks of an MPI program the same seed, and says whether this rank prints it; see world.hpp.
using ShareSeed = std::uint64_t (*)(std::uint64_t mine, bool& print);
inline ShareSeed share_seed = nullptr;

/// The seed of this run: SHARDFFT_TEST_SEED, or one that differs from run to run. Printed once.
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("SHARDFFT_TEST_SEED");
    std::uint64_t chosen = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
    bool print = true;
    if (share_seed != nullptr) chosen = share_seed(chosen, print);
    if (print)
      std::printf("random tests: repeat with SHARDFFT_TEST_SEED=%llu\n", static_cast<unsigned long long>(chosen));
    std::fflush(stdout);
    return chosen;
  }();
  return value;
}

/// Numbers for one test; different tests take different streams.
class Random {
 public:
  explicit Random(std::uint64_t stream) : engine_(seed() * 0x9E3779B97F4A7C15ULL + stream) {}
  /// A whole number, low <= x <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool coin() { return integer(0, 1) == 1; }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace shardfft::test
