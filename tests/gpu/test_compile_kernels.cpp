// Kernels compiled ahead, by the real compiler and without a GPU: what is compiled, and that it is found again.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "device/begin_kernels.hpp"
#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/nvrtc.hpp"
#include "device/kernel_cache.hpp"
#include "device/line_recipe.hpp"
#include "device/plane_recipe.hpp"
#include "gpu/child_processes.hpp"
#include "shardfft/error.hpp"
#include "shardfft/kernels.hpp"
#include "support/foreign_locale.hpp"

namespace shardfft::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::set<int> threads() {
  std::set<int> all;
  std::error_code ended;
  for (const auto& task : fs::directory_iterator("/proc/self/task", ended))
    all.insert(std::stoi(task.path().filename()));
  return all;
}

/// A folder of its own for what is compiled. That of a process of a death test, which ends without cleaning up, lies in
/// the folder of the process that began it.
class CompiledKernels : public testing::Test {
 protected:
  CompiledKernels() {
    if (const char* outer = std::getenv(outer_name)) outer_ = outer;
    std::string name = (outer_.value_or(fs::temp_directory_path()) / "shardfft-kernels-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv(outer_name, folder_.c_str(), 1);
    setenv("SHARDFFT_CACHE", folder_.c_str(), 1);
    if (outer_) return;  // the process that began it has a compiler
    try {
      (void)compile_kernels({.extents = {16}});
    } catch (const Error& error) {
      why_not_ = error.what();
    }
  }
  /// Recipes that may be chosen later are still compiled when the chosen one is there, on machines with many cores.
  ~CompiledKernels() override {
    for (int waits = 0; threads().size() > threads_ && waits < 6000; ++waits)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const char* name : {"SHARDFFT_CACHE", outer_name}) unsetenv(name);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  /// By names; of kernels, not of locks.
  std::map<std::string, fs::file_time_type> times() const {
    std::map<std::string, fs::file_time_type> all;
    std::error_code ended;
    for (const auto& file : fs::directory_iterator(folder_, ended))
      if (file.path().extension() == ".cubin") all[file.path().filename()] = file.last_write_time(ended);
    return all;
  }

  static constexpr const char* outer_name = "SHARDFFT_TEST_FOLDER";
  std::size_t threads_ = threads().size();
  fs::path folder_;
  std::optional<fs::path> outer_;
  std::optional<std::string> why_not_;
};

TEST_F(CompiledKernels, AreKeptForPlans) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  const KernelsFor plans{.extents = {16, 12, 18}, .real = true, .precision = Precision::f32};
  const Names expected{"lines of 16 points, single", "lines of 12 points, single",
                       "planes of 12 rows of 18 real points, single"};
  EXPECT_EQ(compile_kernels(plans), expected);
  const auto made = times();
  EXPECT_GE(made.size(), 2 * expected.size());  // both directions, and of planes more than one recipe
  EXPECT_EQ(compile_kernels(plans), expected);
  auto later = times();
  std::erase_if(later, [&](const auto& file) { return made.count(file.first) == 0; });  // compiled beside them
  EXPECT_EQ(later, made);
}

/// A process knows its own kernels; another one reads their files, while others are compiled into the same folder.
TEST_F(CompiledKernels, AreNotWrittenAgainByOtherProcesses) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const KernelsFor plans{.extents = {20, 17}}, others{.extents = {21, 17}};
  std::map<std::string, fs::file_time_type> made;
  if (!outer_) {  // the other process begins here too
    EXPECT_EQ(compile_kernels(plans), Names{"lines of 20 points, double"});
    made = times();
    EXPECT_EQ(made.size(), 2U);  // both directions
    device::begin_kernels(others);
  }
  const auto read_them = [&] {
    setenv("SHARDFFT_CACHE", outer_->c_str(), 1);
    std::exit(compile_kernels(plans) == Names{"lines of 20 points, double"} ? 0 : 1);
  };
  EXPECT_EXIT(read_them(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(compile_kernels(others), Names{"lines of 21 points, double"});
  auto later = times();
  EXPECT_EQ(later.size(), made.size() + 2);
  std::erase_if(later, [&](const auto& file) { return made.count(file.first) == 0; });
  EXPECT_EQ(later, made);
}

TEST_F(CompiledKernels, OddRowsHaveTheirOwnAndLibraryKernelsNone) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  EXPECT_EQ(compile_kernels({.extents = {16, 6}, .real = true, .precision = Precision::f32, .architecture = 80}),
            (Names{"lines of 16 points, single"}));
  EXPECT_EQ(compile_kernels({.extents = {16, 4}, .real = true, .precision = Precision::f32, .architecture = 80}),
            (Names{"lines of 16 points, single", "lines of 16 points in rows of odd lengths, single"}));
  EXPECT_EQ(compile_kernels({.extents = {128, 128, 128}}), Names{});
  EXPECT_EQ(compile_kernels({.extents = {17, 17, 17}}), Names{});
}

/// GPUs of Blackwell's, with as much shared memory as Hopper's, and with less than half of it: bulk copies on both.
TEST_F(CompiledKernels, AreMadeForBlackwell) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  const auto compiled = [](int architecture) -> Names {
    try {
      return compile_kernels({.extents = {18, 12, 16}, .architecture = architecture});
    } catch (const Error& error) {
      return {error.what()};
    }
  };
  const Names expected{"lines of 18 points, double", "lines of 12 points, double",
                       "planes of 12 rows of 16 complex points, double"};
  for (const int architecture : {100, 120}) {
    const Names names = compiled(architecture);
    if (names.front().find("invalid value for --gpu-architecture") != std::string::npos)
      GTEST_SKIP() << "this toolkit does not know sm_" << architecture;
    EXPECT_EQ(names, expected) << "sm_" << architecture;
  }
}

/// What a plan does before the driver of its GPUs is set up.
TEST_F(CompiledKernels, BeginWithoutAWait) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  const KernelsFor plans{.extents = {14, 17}};
  device::begin_kernels(plans);
  for (int waits = 0; times().size() < 2 && waits < 6000; ++waits)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(times().size(), 2u);  // both directions
  EXPECT_EQ(compile_kernels(plans), Names{"lines of 14 points, double"});
  EXPECT_EQ(times().size(), 2u);
}

cpu_set_t cores_of(int thread) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  (void)sched_getaffinity(thread, sizeof cores, &cores);  // none of one that has ended
  return cores;
}
int count(const cpu_set_t& cores) { return CPU_COUNT(&cores); }

/// mpirun binds ranks: compilers that stayed on the core of their rank would wait for each other. `workers` are threads
/// or processes.
void expect_many_cores(std::set<int> (*workers)(), std::int64_t n) {
  const cpu_set_t before = cores_of(0);
  if (count(before) < 2) GTEST_SKIP() << "there is one core";
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; count(one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::set<int> others = workers();
  auto names = std::async(std::launch::async, [n] { return compile_kernels({.extents = {n, 17}}); });
  int most = 0;
  while (names.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
    for (const int worker : workers())
      if (others.count(worker) == 0) most = std::max(most, count(cores_of(worker)));
  const int mine = count(cores_of(0));
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(names.get(), Names{"lines of " + std::to_string(n) + " points, double"});
  EXPECT_GE(most, count(before));
  EXPECT_EQ(mine, 1);
}

TEST_F(CompiledKernels, CompilersLeaveTheCoreOfTheirProcess) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  expect_many_cores(child_processes, 22);
  setenv("SHARDFFT_COMPILER", "", 1);
  expect_many_cores(threads, 26);
  unsetenv("SHARDFFT_COMPILER");
}

/// A plan begins more kernels than it comes to need. Where the program that compiles is none, this process is not safe
/// until it has made a first one itself, which takes a while.
TEST_F(CompiledKernels, AProcessMayEndWhileCompilersWork) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_early = [](const char* compiler, std::int64_t n, std::chrono::milliseconds after) {
    if (compiler != nullptr) setenv("SHARDFFT_COMPILER", compiler, 1);
    const auto recipes = device::lines::recipes(n, device::lines::hopper);
    device::lines::begin_machine_code(recipes.front(), Precision::f32, {}, 90);
    std::this_thread::sleep_for(after);
    std::exit(0);
  };
  const fs::path silent = folder_ / "silent";  // ends while the process waits for it
  std::ofstream(silent) << "#!/bin/sh\nexec sleep 0.5\n";
  fs::permissions(silent, fs::perms::owner_all);
  // Kernels that take the longer to compile, the later the process ends.
  for (const auto& [compiler, n, ms] : {std::tuple{static_cast<const char*>(nullptr), 26, 200},
                                        {"", 26, 20},
                                        {"", 26, 50},
                                        {"/bin/true", 420, 2000},
                                        {silent.c_str(), 26, 200}})
    EXPECT_EXIT(end_early(compiler, n, std::chrono::milliseconds(ms)), testing::ExitedWithCode(0), "");
}

/// Neither the program nor its name in the cache.
TEST(KernelText, HeedsNoGlobalLocale) {
  const auto text = [] {
    const auto cuts = device::lines::plane_cuts_for(1024, 1024, device::lines::hopper, true);
    return device::lines::kernel_source(device::lines::recipes(1024, device::lines::hopper).front(), Precision::f64, {},
                                        false) +
           device::lines::kernel_source(cuts.front(), Precision::f64, {}, false) + device::lines::hash_of("a");
  };
  const std::string before = text();
  const ForeignLocale foreign;
  EXPECT_EQ(text(), before);
}

/// Recipes are chosen by it. The compiler may have a cache of its own.
TEST_F(CompiledKernels, TellTheirStackAgain) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  const auto cuts = device::lines::plane_cuts_for(490, 480, device::lines::hopper, true);
  const std::string source = device::lines::kernel_source(cuts.front(), Precision::f64, {}, false);
  for (int time = 0; time < 2; ++time) EXPECT_GT(device::lines::compile(source, 90).stack_bytes, 0);
}

TEST_F(CompiledKernels, SayWhatIsWrong) {
  if (why_not_) GTEST_SKIP() << *why_not_;
  EXPECT_THROW((void)compile_kernels({.extents = {16, 16}, .architecture = 20}), Error);
  EXPECT_THROW((void)compile_kernels({.extents = {}}), Error);
  EXPECT_THROW((void)compile_kernels({.extents = {16, 0}}), Error);
  setenv("SHARDFFT_CACHE", "", 1);
  EXPECT_THROW((void)compile_kernels({.extents = {16, 16}}), Error);
}

}  // namespace
}  // namespace shardfft::test
