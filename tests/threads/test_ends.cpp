// Processes that end in another order than documents ask for. Each case is a job of its own: this program under mpirun.
#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "shardfft/plan.hpp"

namespace shardfft::test {
namespace {

struct Arrays {
  std::unique_ptr<Plan> plan;
  Buffer in, out;
  std::optional<Operator> factors;

  Arrays(const std::string& exchange, int ranks) {
    Options options;
    options.exchange = exchange;
    plan = std::make_unique<Plan>(MPI_COMM_WORLD, c2c<double>, Layout::slab({8, 6, 4}, ranks), natural_output, options);
    in = plan->allocate_input();
    out = plan->allocate_output();
    std::memset(in.data(), 0, in.bytes());
    plan->forward(in.data(), out.data());
    factors = plan->convolution(in.data());
  }
};

std::unique_ptr<Arrays> kept;  ///< ends after main()

/// Exit status of a rank.
int run_case(const std::string& how, const std::string& exchange) {
  MPI_Init(nullptr, nullptr);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto arrays = std::make_unique<Arrays>(exchange, ranks);
  if (how == "finalize_first") {
    MPI_Finalize();
    try {
      arrays->plan->forward(arrays->in.data(), arrays->out.data());
      return 2;
    } catch (const Error& e) {
      if (std::string(e.what()).find("MPI is finalized already") == std::string::npos) return 3;
    }
    try {
      Arrays more(exchange, ranks);
      return 4;
    } catch (const Error&) {
    }
    std::memset(arrays->in.data(), 1, arrays->in.bytes());
    arrays.reset();
    return 0;
  }
  if (how == "finalize_then_statics") {
    kept = std::move(arrays);
    MPI_Finalize();
    std::exit(0);
  }
  if (how == "leaked") {
    static_cast<void>(arrays.release());
    MPI_Finalize();
    return 0;
  }
  if (how == "exit") std::exit(0);  // neither
  kept = std::move(arrays);         // "exit_with_statics": the plan ends, MPI does not
  std::exit(0);
}

class Ends : public testing::TestWithParam<const char*> {};

TEST_P(Ends, WithoutACrashOrAWait) {
  const char* const launcher = std::getenv("SHARDFFT_TEST_LAUNCHER");
  if (launcher == nullptr) GTEST_SKIP() << "no SHARDFFT_TEST_LAUNCHER, such as \"mpirun -n\"";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  for (const char* exchange : {"shared_window", "alltoallv"}) {
    const std::string words = std::string(GetParam()) + " " + exchange;
    const std::string command =
        "timeout 60 " + std::string(launcher) + " 2 " + self + " --case " + words + " 2>&1; echo status $?";
    FILE* const pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string said;
    for (char line[512]; std::fgets(line, sizeof line, pipe) != nullptr;) said += line;
    pclose(pipe);
    SCOPED_TRACE(words + "\n" + said);
    const bool without_finalize = std::string(GetParam()).rfind("exit", 0) == 0;
    // A launcher may call it a failure when ranks end without MPI_Finalize, but nothing else may go wrong.
    EXPECT_TRUE(said.find("status 0\n") != std::string::npos ||
                (without_finalize && said.find("status 124\n") == std::string::npos));
    for (const char* fault : {"egmentation", "Signal:", "signal 11", "signal 6", "MPI_ERR", "after MPI_FINALIZE"})
      EXPECT_EQ(said.find(fault), std::string::npos) << fault;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, Ends,
                         testing::Values("finalize_first", "finalize_then_statics", "leaked", "exit",
                                         "exit_with_statics"));

}  // namespace
}  // namespace shardfft::test

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--case") == 0) return shardfft::test::run_case(argv[2], argv[3]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
