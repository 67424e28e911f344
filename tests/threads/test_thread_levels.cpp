// MPI for the main thread only: another one that comes to a plan is refused.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "mpi/communicator.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::test {
namespace {

using Numbers = std::vector<std::complex<double>>;

/// What `work` says on a thread of its own.
template <class Work>
Failure on_another_thread(const Work& work) {
  Failure failure;
  std::thread([&] { failure = failure_of(work); }).join();
  return failure;
}

TEST(ThreadLevels, MainThreadOnly) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided >= MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    GTEST_SKIP() << "this MPI gives more than was asked for";
  }
  {
    const auto make = [] { return Plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({4, 3, 5}, 1)); };
    Plan plan = make();
    Numbers in(60), out(60);
    const auto run = [&] { plan.forward(in.data(), out.data()); };
    for (const Failure& said : {on_another_thread(make), on_another_thread(run)}) {
      EXPECT_EQ(said.code, Status::invalid_argument) << said.text;
      EXPECT_NE(said.text.find("MPI_THREAD_FUNNELED"), std::string::npos) << said.text;
    }
    EXPECT_NO_THROW(run());
  }
  MPI_Finalize();
}

}  // namespace
}  // namespace shardfft::test
