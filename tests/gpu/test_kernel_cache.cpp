// The cache of compiled kernels on disk: what is kept, what is made anew, and who waits for whom.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/check.hpp"
#include "device/kernel_cache.hpp"

namespace shardfft::test {
namespace {

namespace fs = std::filesystem;
using device::lines::cached;

class KernelCache : public testing::Test {
 protected:
  KernelCache() {
    std::string name = (fs::temp_directory_path() / "shardfft-cache-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~KernelCache() override {
    std::error_code ignored;
    fs::permissions(directory_, fs::perms::owner_all, ignored);
    fs::remove_all(directory_, ignored);
  }
  /// `content` of any bytes, counted.
  std::string get(const std::string& key, const std::string& content = std::string("ma\0de\n", 6)) {
    return cached(directory_.string(), key, [&] {
      ++made_;
      return content;
    });
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(directory_)) all.push_back(entry.path());
    return all;
  }

  fs::path directory_;
  std::atomic<int> made_{0};
};

TEST_F(KernelCache, KeepsWhatWasMade) {
  EXPECT_EQ(get("a"), std::string("ma\0de\n", 6));
  EXPECT_EQ(get("a", "other"), std::string("ma\0de\n", 6));
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(get("b", "other"), "other");
  EXPECT_EQ(files().size(), 2U) << "neither locks nor unfinished files are left";
}

TEST_F(KernelCache, MakesDamagedFilesAnew) {
  const std::string good = get("a", "0123456789");
  const fs::path file = files().at(0);
  for (const char* what : {"shorter", "longer", "other", "empty", "key"}) {
    SCOPED_TRACE(what);
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (what == std::string("shorter")) text.pop_back();
    if (what == std::string("longer")) text += '!';
    if (what == std::string("other")) text.back() = '!';
    if (what == std::string("empty")) text.clear();
    if (what == std::string("key")) text.replace(text.find("\na\n"), 3, "\nc\n");
    std::ofstream(file, std::ios::binary) << text;
    const int before = made_;
    EXPECT_EQ(get("a", "0123456789"), good);
    EXPECT_EQ(made_, before + 1);
    EXPECT_EQ(get("a", "0123456789"), good);
    EXPECT_EQ(made_, before + 1) << "it was mended";
  }
}

TEST_F(KernelCache, DoesWithoutADirectory) {
  EXPECT_EQ(cached("", "a", [] { return std::string("made"); }), "made");
  std::ofstream(directory_ / "file") << "no directory";
  EXPECT_EQ(cached((directory_ / "file").string(), "a", [] { return std::string("made"); }), "made");
  if (geteuid() == 0) return;  // may write anywhere
  fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(get("a"), std::string("ma\0de\n", 6));
}

/// Compiled kernels are run: who can write them can run anything as this user.
TEST_F(KernelCache, TrustsNoFolderThatOthersMayWrite) {
  get("a");
  for (const fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(directory_, more, fs::perm_options::add);
    const int before = made_;
    testing::internal::CaptureStderr();
    get("a");
    get("b");
    EXPECT_EQ(made_, before + 2) << "neither read";
    EXPECT_EQ(files().size(), 1U) << "nor written";
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(directory_.string() + " is neither read nor written"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "once";
    fs::permissions(directory_, more, fs::perm_options::remove);
    get("a");
    EXPECT_EQ(made_, before + 2);
  }
}

TEST_F(KernelCache, TrustsNoFileThatOthersMayWrite) {
  get("a");
  const fs::path file = files().at(0);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  const auto written = fs::last_write_time(file);
  get("a", "other");
  EXPECT_EQ(made_, 2);
  EXPECT_EQ(fs::last_write_time(file), written);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(get("a"), std::string("ma\0de\n", 6));
  EXPECT_EQ(made_, 2);
}

TEST_F(KernelCache, TrustsNothingOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  get("a");
  const fs::path file = files().at(0);
  for (const fs::path& path : {file, directory_}) {
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    const int before = made_;
    get("a", "other");
    get("a", "other");
    EXPECT_EQ(made_, before + 2) << path;
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
    EXPECT_EQ(get("a"), std::string("ma\0de\n", 6));
    EXPECT_EQ(made_, before + 2) << path;
  }
}

/// In the place of a kernel, and of the lock of one that is to be made.
TEST_F(KernelCache, FollowsNoLinks) {
  const fs::path elsewhere = directory_ / "elsewhere";
  get("a");
  const fs::path file = files().at(0);
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_EQ(get("a", "other"), "other");
  EXPECT_EQ(get("a", "other"), "other");
  EXPECT_EQ(made_, 3);
  fs::remove(file);
  const fs::path target = directory_ / "target";
  fs::create_symlink(target, file.string() + ".lock");
  EXPECT_EQ(get("a", "other"), "other");
  EXPECT_FALSE(fs::exists(target)) << "no lock is made where the link leads";
  EXPECT_EQ(get("a"), "other") << "kept without a lock";
}

TEST_F(KernelCache, MakesFoldersForThisUserOnly) {
  const mode_t before = umask(0);
  cached((directory_ / "new" / "deep").string(), "a", [] { return std::string("made"); });
  umask(before);
  EXPECT_EQ(fs::status(directory_ / "new" / "deep").permissions(), fs::perms::owner_all);
}

TEST_F(KernelCache, PassesErrorsOnAndLeavesNothing) {
  EXPECT_THROW(cached(directory_.string(), "a", []() -> std::string { fail(Status::backend_failure, "broken"); }),
               Error);
  EXPECT_TRUE(files().empty());
}

TEST_F(KernelCache, OneMakesTheOthersWait) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      EXPECT_EQ(cached(directory_.string(), "a",
                       [&] {
                         ++made_;
                         std::this_thread::sleep_for(std::chrono::milliseconds(100));
                         return std::string("made");
                       }),
                "made");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made_, 1);
}

}  // namespace
}  // namespace shardfft::test
