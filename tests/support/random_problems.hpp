#pragma once
// Problems drawn at random, each told by a seed and a number, so that one line repeats it. Needs no library but MPI.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "support/shared_seed.hpp"

namespace shardfft::test {

/// A number from the environment.
inline std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* const given = std::getenv(name);
  return given != nullptr ? std::strtoll(given, nullptr, 10) : otherwise;
}

namespace detail {

/// The line that repeats the plan in work, for handlers of signals.
inline std::array<char, 400> repeat_line{};

inline void say_and_end(int signal) {
  const char* const why = signal == SIGALRM ? "hangs: " : "crashes: ";
  // What else could be done here if it fails?
  static_cast<void>(!write(STDERR_FILENO, why, std::strlen(why)));
  static_cast<void>(!write(STDERR_FILENO, repeat_line.data(), std::strlen(repeat_line.data())));
  std::signal(signal, SIG_DFL);
  std::raise(signal == SIGALRM ? SIGKILL : signal);
}

inline void tell_repeat_line(const std::string& line) {
  constexpr unsigned seconds = 180;
  std::snprintf(repeat_line.data(), repeat_line.size(), "%s\n", line.c_str());
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(signal, say_and_end);
  alarm(seconds);
}

inline int failed_parts() {
  const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  int failed = 0;
  for (int i = 0; i < result.total_part_count(); ++i) failed += result.GetTestPartResult(i).failed() ? 1 : 0;
  return failed;
}

inline bool on_any_rank(bool mine) {
  int any = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any != 0;
}

}  // namespace detail

/// What random_problems() did with its problems.
struct RandomCounts {
  std::int64_t checked = 0;
  std::int64_t refused = 0;  ///< with an error that says that the combination cannot be
  std::int64_t failed = 0;
};

/// Calls check(number), which says whether the problem was refused: SHARDFFT_RANDOM_PLANS times from number
/// SHARDFFT_RANDOM_FIRST on, or, without the former, as often as fits into some seconds. `options` is what `./run
/// random` needs to come here again.
template <class Check>
RandomCounts random_problems(const std::string& command, const Check& check) {
  const std::int64_t seconds = setting("SHARDFFT_RANDOM_SECONDS", 2);
  const std::int64_t first = setting("SHARDFFT_RANDOM_FIRST", 0);
  const std::int64_t plans = setting("SHARDFFT_RANDOM_PLANS", -1);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  RandomCounts counts;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = first; plans < 0 || i < first + plans; ++i) {
    const bool late = std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds);
    if (plans < 0 && detail::on_any_rank(late)) break;
    const std::string line = "./run " + command + " --seed " + std::to_string(seed()) + " --first " +
                             std::to_string(i) + " --plans 1 --ranks " + std::to_string(ranks);
    detail::tell_repeat_line(line);
    const int before = detail::failed_parts();
    const bool refused = check(i);
    const bool failed = detail::on_any_rank(detail::failed_parts() > before);
    if (failed && rank == 0) std::printf("fails: %s\n", line.c_str());
    ++(failed ? counts.failed : refused ? counts.refused : counts.checked);
  }
  alarm(0);
  if (rank == 0)
    std::printf("random plans: %lld right, %lld refused, %lld failed\n", static_cast<long long>(counts.checked),
                static_cast<long long>(counts.refused), static_cast<long long>(counts.failed));
  std::fflush(stdout);
  return counts;
}

}  // namespace shardfft::test
