// Plans made on several threads at once while others run, each thread on a communicator of its own.
#include <dlfcn.h>
#include <fftw3.h>
#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <thread>
#include <vector>

#include "mpi/communicator.hpp"
#include "shardfft/plan.hpp"
#include "support/serial_dft.hpp"

namespace shardfft::test {
namespace {

/// MPI with all its thread safety, on one rank.
class PlansOnThreads : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    multiple_ = provided == MPI_THREAD_MULTIPLE;
  }
  static void TearDownTestSuite() { MPI_Finalize(); }
  static inline bool multiple_ = false;
};

/// A plan against the definition.
void check(const Communicator& comm, const Shape& shape, Effort effort) {
  Options options;
  options.effort = effort;
  Plan plan(comm.get(), c2c<double>, Layout::slab(shape, 1), default_output, options);
  std::vector<Value> data(to_size(product(shape)));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = {std::sin(static_cast<double>(i)), 0.5};
  std::vector<Value> expected = SerialTransform{Kind::c2c, shape, {0, 1, 2}}.analyse(data);
  std::vector<Value> out(data.size());
  plan.forward(data.data(), out.data());
  const auto numbers = numbers_by_address(plan.output().layout, 0);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(std::abs(out[i] - expected[to_size(numbers[i])]), 0, 1e-9);
}

TEST_F(PlansOnThreads, AreRight) {
  if (!multiple_) GTEST_SKIP() << "this MPI allows one thread only";
  std::vector<Communicator> comms;
  for (int i = 0; i < 6; ++i) comms.push_back(Communicator::duplicate(MPI_COMM_SELF));
  std::atomic<bool> stop{false};
  std::vector<std::thread> runners, planners;
  for (std::size_t t = 0; t < 2; ++t)
    runners.emplace_back([&, t] {
      Options options;
      options.effort = Effort::estimate;
      Plan plan(comms[t].get(), c2c<double>, Layout::slab({16, 8, 12}, 1), default_output, options);
      std::vector<Value> in(16 * 8 * 12, Value(1, 0)), out(in.size());
      for (int runs = 0; runs < 10 || !stop; ++runs) {
        plan.forward(in.data(), out.data());
        ASSERT_NEAR(std::abs(out[0] - 1536.0), 0, 1e-9);
        for (std::size_t i = 1; i < out.size(); ++i) ASSERT_NEAR(std::abs(out[i]), 0, 1e-9);
      }
    });
  for (std::size_t t = 0; t < 4; ++t)
    planners.emplace_back([&, t] {
      for (std::int64_t n = 3; n < 8; ++n) {
        const auto m = static_cast<std::int64_t>(t);
        check(comms[2 + t], {n, 5 + m, 9}, n % 2 == 0 ? Effort::measure : Effort::estimate);
      }
    });
  for (std::thread& t : planners) t.join();
  stop = true;
  for (std::thread& t : runners) t.join();
}

/// An application's own FFTW planning beside ours: it must ask FFTW's threads library for a planner that many threads
/// may use (docs/reliability.md), before any thread plans.
class OwnPlanner {
 public:
  OwnPlanner() : library_(dlopen("libfftw3_threads.so.3", RTLD_NOW | RTLD_GLOBAL)) {
    if (library_ == nullptr) return;
    reinterpret_cast<void (*)()>(dlsym(library_, "fftw_make_planner_thread_safe"))();
  }
  bool there() const { return library_ != nullptr; }
  static void plan_and_run(int n) {
    std::vector<Value> in(to_size(n)), out(in.size());
    const auto as_fftw = [](std::vector<Value>& v) { return reinterpret_cast<fftw_complex*>(v.data()); };
    const fftw_plan plan = fftw_plan_dft_1d(n, as_fftw(in), as_fftw(out), FFTW_FORWARD, FFTW_MEASURE);
    std::fill(in.begin(), in.end(), Value(1, 0));
    fftw_execute(plan);
    EXPECT_NEAR(std::abs(out[0] - static_cast<double>(n)), 0, 1e-9);
    fftw_destroy_plan(plan);
  }

 private:
  void* library_;
};

TEST_F(PlansOnThreads, BesideAnApplicationsPlanner) {
  if (!multiple_) GTEST_SKIP() << "this MPI allows one thread only";
  const OwnPlanner own;
  if (!own.there()) GTEST_SKIP() << "FFTW's threads library is not installed";
  const Communicator comm = Communicator::duplicate(MPI_COMM_SELF);
  std::thread application([] {
    for (int n = 8; n < 200; ++n) OwnPlanner::plan_and_run(n);
  });
  for (std::int64_t n = 3; n < 12; ++n) check(comm, {n, 5, 9}, Effort::measure);
  application.join();
}

}  // namespace
}  // namespace shardfft::test
