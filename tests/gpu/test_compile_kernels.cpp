// Kernels compiled ahead, by the real compiler and without a GPU: what is compiled, and that it is found again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shardfft/error.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// A folder of its own for what is compiled.
class CompiledKernels : public testing::Test {
 protected:
  CompiledKernels() {
    std::string name = (fs::temp_directory_path() / "shardfft-kernels-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv("SHARDFFT_CACHE", folder_.c_str(), 1);
    try {
      (void)compile_kernels({.extents = {16}});
    } catch (const Error& error) {
      why_not_ = error.what();
    }
  }
  ~CompiledKernels() override {
    unsetenv("SHARDFFT_CACHE");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::vector<fs::file_time_type> times() const {
    std::vector<fs::file_time_type> all;
    for (const auto& file : fs::directory_iterator(folder_)) all.push_back(file.last_write_time());
    return all;
  }

  fs::path folder_;
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
  EXPECT_EQ(times(), made);
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
