// Lengths and threads that FFT libraries do not survive by themselves.
#include <atomic>
#include <thread>

#include "base/available_memory.hpp"
#include "fft_cases.hpp"
#include "local/work_memory.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t prime = 2147483659;           // the first above 2^31
constexpr std::int64_t composite = 3L * 715827883L;  // 2^31 + 1

void expect_refusal(const std::string& backend, std::int64_t n, Effort effort, Status code, const std::string& words) {
  FftSpec spec = dense_spec(Kind::c2c, {n});
  spec.effort = effort;
  try {
    make_local_fft(backend, spec);
    ADD_FAILURE() << backend << " made a transform of " << n << " points";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(n)), std::string::npos) << error.what();
  }
}

TEST(Limits, LargePrimes) {
  EXPECT_TRUE(has_prime_above(prime, large_prime));
  EXPECT_TRUE(has_prime_above(composite, large_prime));
  EXPECT_TRUE(has_prime_above(65537, large_prime));
  EXPECT_FALSE(has_prime_above(65537, 65537));
  EXPECT_FALSE(has_prime_above(65521L * 65521L * 65521L, large_prime));
  EXPECT_FALSE(has_prime_above(std::int64_t{1} << 40, large_prime));
  EXPECT_FALSE(has_prime_above(1, large_prime));
}

TEST(Limits, OneMklIsNotGivenLengthsThatCrashIt) {
  if (local_fft_names().front() != "mkl") GTEST_SKIP() << "no oneMKL";
  for (const std::int64_t n : {prime, composite, 2 * prime})
    expect_refusal("mkl", n, Effort::measure, Status::unsupported, "oneMKL cannot transform");
}

/// FFTW ends the process where it gets no memory.
TEST(Limits, MemoryIsAskedForBeforeFftwPlans) {
  const std::int64_t huge = std::int64_t{1} << 42;
  for (const Effort effort : {Effort::estimate, Effort::measure})
    expect_refusal("fftw", huge, effort, Status::out_of_memory, "by FFTW needs about");
  if (available_memory() < std::size_t{12} * prime * 16)
    expect_refusal("fftw", prime, Effort::estimate, Status::out_of_memory, "by FFTW needs about");
}

TEST(Limits, MoreMemoryThanThereIs) {
  EXPECT_NO_THROW(require_memory(1 << 20, "a little"));
  try {
    require_memory(1e18, "too much");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Status::out_of_memory);
    EXPECT_EQ(std::string(error.what()).rfind("too much needs about", 0), 0u) << error.what();
  }
}

/// Plans are made on four threads while two others run one that all share.
TEST(Threads, PlanWhileOthersPlanAndRun) {
  for (const std::string& backend : tested_backends()) {
    const FftSpec shared_spec = dense_spec(Kind::c2c, {24, 10});
    const auto shared = make_local_fft(backend, shared_spec);
    TestArray in(Precision::f64, 480), expected(Precision::f64, 480);
    in.fill_random(1);
    shared->execute(in.data(), expected.data());
    std::atomic<bool> stop{false};
    const auto run = [&] {
      TestArray out(Precision::f64, 480);
      const std::vector<bool> all(480, true);
      for (int runs = 0; runs < 20 || !stop; ++runs) {
        out.fill_random(2);
        shared->execute(in.data(), out.data());
        expect_same(out, expected, all, 0, "output of a shared transform");
      }
    };
    const auto plan = [&](std::int64_t first) {
      for (std::int64_t n = first; n < first + 40; n += 4) {
        FftSpec spec = dense_spec(n % 3 == 0 ? Kind::r2c : Kind::c2c, {n});
        spec.effort = Effort::measure;
        spec.precision = n % 5 == 0 ? Precision::f32 : Precision::f64;
        check(backend, spec);
      }
    };
    std::vector<std::thread> runners, planners;
    for (int i = 0; i < 2; ++i) runners.emplace_back(run);
    for (std::int64_t i = 0; i < 4; ++i) planners.emplace_back(plan, 5 + i);
    for (std::thread& t : planners) t.join();
    stop = true;
    for (std::thread& t : runners) t.join();
  }
}

}  // namespace
}  // namespace shardfft::test
