// Processes that are forked from one that has plans and teams of threads: right, or an error at once, never a wait.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <memory>
#include <vector>

#include "base/team.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/forks.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/redistribution.hpp"

namespace shardfft::test {
namespace {

/// Runs `work` in a child, whose failures are this test's. A child that waits is ended.
template <class Work>
void in_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    try {
      work();
    } catch (const std::exception& e) {
      ADD_FAILURE() << "the child threw " << e.what();
    }
    std::fflush(stdout);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << (WIFSIGNALED(status) ? "the child was ended by signal " : "the child's status is ")
      << (WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void expect_team() {
  std::atomic<int> sum{0};
  run_team(3, [&](int thread) { sum += 1 + thread; });
  EXPECT_EQ(sum, 6);
}

void expect_refusal(const std::string& words, const std::function<void()>& work) {
  const Failure failure = failure_of(work);
  EXPECT_EQ(failure.code, Status::invalid_argument) << failure.text;
  EXPECT_NE(failure.text.find(words), std::string::npos) << failure.text;
}

using Numbers = std::vector<std::complex<double>>;
const Shape shape{16, 12, 10};

std::unique_ptr<Plan> make(int threads) {
  Options options;
  options.threads = threads;
  options.effort = Effort::estimate;
  return std::make_unique<Plan>(MPI_COMM_SELF, c2c<double>, Layout::slab(shape, 1), natural_output, options);
}

/// The transform of ones is one number.
void expect_right(Plan& plan) {
  Numbers in(16 * 12 * 10, 1), out(in.size());
  plan.forward(in.data(), out.data());
  EXPECT_NEAR(std::abs(out[0] - 1920.0), 0, 1e-9);
  for (std::size_t i = 1; i < out.size(); ++i) ASSERT_NEAR(std::abs(out[i]), 0, 1e-9);
}

/// Before MPI: whoever wants it may initialise it.
TEST(ForksBeforeMpi, TeamsWorkInBoth) {
  expect_team();
  in_child([] {
    expect_team();
    in_child(expect_team);
  });
  expect_team();
}

TEST(ForksBeforeMpi, ChildrenMakePlans) {
  expect_team();
  in_child([] {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    EXPECT_FALSE(mpi_is_inherited());
    for (const int threads : {1, 2}) expect_right(*make(threads));
    MPI_Finalize();
  });
}

class Forks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  static void TearDownTestSuite() { MPI_Finalize(); }
};

TEST_F(Forks, ChildrenAreRefused) {
  const std::string made = "was made before this process was forked",
                    inherited = "forked from one that had initialised";
  for (const int threads : {1, 2}) {
    std::unique_ptr<Plan> plan = make(threads), other = make(threads);
    Redistribution moves(MPI_COMM_SELF, Layout::slab(shape, 1), Layout::slab(shape, 1), sizeof(double));
    expect_right(*plan);
    in_child([&] {
      Numbers numbers(16 * 12 * 10);
      expect_refusal(made, [&] { plan->forward(numbers.data(), numbers.data()); });
      expect_refusal(made, [&] { plan->report(); });
      expect_refusal(made, [&] { plan->allocate_input(); });
      expect_refusal(made, [&] { moves.forward(numbers.data(), numbers.data()); });
      expect_refusal(inherited, [&] { make(threads); });
      EXPECT_TRUE(mpi_is_inherited());
      expect_team();
      *plan = std::move(*other);
      plan.reset();
    });
    expect_right(*plan);
    expect_right(*other);
  }
}

TEST_F(Forks, ArraysAreTheChildsOwn) {
  const std::unique_ptr<Plan> plan = make(1);
  Buffer in = plan->allocate_input(), out = plan->allocate_output();
  const auto numbers = [](const Buffer& buffer) {
    auto* const first = static_cast<std::complex<double>*>(buffer.data());
    return std::span(first, buffer.bytes() / sizeof *first);
  };
  std::ranges::fill(numbers(in), 1);
  in_child([&] {
    for (const std::complex<double>& number : numbers(in)) ASSERT_EQ(number, 1.0);
    std::ranges::fill(numbers(in), 2);
    std::ranges::fill(numbers(out), 3);
    in = {};
    Numbers others(numbers(out).size());  // where the array was, perhaps
    for (const std::complex<double>& number : numbers(out)) ASSERT_EQ(number, 3.0);
  });
  for (const std::complex<double>& number : numbers(in)) ASSERT_EQ(number, 1.0);
  for (const std::complex<double>& number : numbers(out)) ASSERT_EQ(number, 0.0);
  plan->forward(in.data(), out.data());
  EXPECT_NEAR(std::abs(numbers(out)[0] - 1920.0), 0, 1e-9);
}

}  // namespace
}  // namespace shardfft::test
