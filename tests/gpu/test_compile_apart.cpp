// The compiler in a process of its own, the real one and without a GPU: what it makes, what it leaves alone, and what
// happens where there is none.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <string>

#include "device/cuda/lines/compile_apart.hpp"
#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/nvrtc.hpp"
#include "device/line_recipe.hpp"
#include "gpu/child_processes.hpp"
#include "shardfft/error.hpp"

namespace shardfft::test {
namespace {

namespace fs = std::filesystem;
namespace lines = device::lines;

class CompilesApart : public testing::Test {
 protected:
  void SetUp() override {
    if (lines::nvrtc_version().empty()) GTEST_SKIP() << "there is no NVRTC";
  }
  void TearDown() override {
    for (const char* name : {"SHARDFFT_COMPILER", "SHARDFFT_CACHE"}) unsetenv(name);
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  /// From now on the compiler is a program of the shell, whose input is the socket. Its file is returned.
  fs::path use_script(const std::string& text) {
    if (folder_.empty()) {
      std::string name = (fs::temp_directory_path() / "shardfft-compilers-XXXXXX").string();
      folder_ = mkdtemp(name.data());
    }
    const fs::path file = folder_ / ("compiler" + std::to_string(scripts_++));
    std::ofstream(file) << "#!/bin/sh\n" << text << '\n';
    fs::permissions(file, fs::perms::owner_all);
    setenv("SHARDFFT_COMPILER", file.c_str(), 1);
    return file;
  }
  static std::string source(int n = 420) {
    return lines::kernel_source(lines::recipes(n, lines::hopper).front(), Precision::f64, {}, false);
  }
  /// Begins to compile, and what the process does when it is there.
  template <class Act>
  static std::optional<lines::MachineCode> compiled_while(const Act& act) {
    auto code = std::async(std::launch::async, [] { return lines::compile_apart(source(2160), 90); });
    while (code.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      const auto all = child_processes();
      if (!all.empty() && act(*all.begin())) break;
    }
    return code.get();
  }
  static void expect_no_children() {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

 private:
  fs::path folder_;
  int scripts_ = 0;
};

TEST_F(CompilesApart, TheSameCode) {
  const lines::MachineCode here = lines::compile(source(), 90);
  for (const auto what_of_children : {SIG_DFL, SIG_IGN}) {
    const auto before = std::signal(SIGCHLD, what_of_children);
    const auto apart = lines::compile_apart(source(), 90);
    (void)std::signal(SIGCHLD, before);
    ASSERT_TRUE(apart);
    EXPECT_EQ(apart->cubin, here.cubin);
    EXPECT_EQ(apart->stack_bytes, here.stack_bytes);
  }
  expect_no_children();
}

TEST_F(CompilesApart, WhatIsWrongIsSaidInTheSameWords) {
  const auto said_by = [](const auto& compile) {
    try {
      (void)compile("int x = no_such_word;", 90);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string here = said_by(lines::compile);
  EXPECT_NE(here.find("no_such_word"), std::string::npos);
  EXPECT_EQ(said_by([](const auto&... what) { return lines::compile_apart(what...); }), here);
}

TEST_F(CompilesApart, NothingWithoutAProgramThatAnswers) {
  for (const char* program : {"", "/nowhere/kernel-compiler", "/", "/bin/true", "/bin/cat"}) {
    setenv("SHARDFFT_COMPILER", program, 1);
    EXPECT_FALSE(lines::compile_apart(source(), 90)) << program;
  }
  expect_no_children();
}

/// A number of a message is eight bytes, the least one first.
TEST_F(CompilesApart, NothingForAnAnswerThatIsNone) {
  const std::string zeros = R"(\0\0\0\0\0\0\0)", one = R"(\1)" + zeros, two = R"(\2)" + zeros;
  const std::string none = R"(\0)" + zeros;
  for (const std::string& answer : {none, R"(\3)" + zeros + none + none + none, two + one + "x" + one + "x",
                                    two + two + "8x" + one + "x", two + two + "-8" + one + "x", two + one + "8" + none,
                                    two + one + "8" + R"(\377\377\377\377\377\377\377\377)", two + one + "8"}) {
    use_script("cat > /dev/null; printf '" + answer + "' >&0");
    EXPECT_FALSE(lines::compile_apart(source(), 90)) << answer;
  }
  use_script("cat > /dev/null; printf '" + two + two + "80" + one + "x' >&0");
  const auto code = lines::compile_apart(source(), 90);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->stack_bytes, 80);
  EXPECT_EQ(code->cubin, "x");
  for (const char* endless : {"yes", "cat /dev/zero", "printf '\\1'; cat /dev/zero"}) {
    use_script("cat > /dev/null; { " + std::string(endless) + "; } >&0");
    EXPECT_FALSE(lines::compile_apart(source(), 90)) << endless;
  }
  expect_no_children();
}

/// Such as do not read, do not answer or do not end.
TEST_F(CompilesApart, ProgramsThatTakeTooLongAreEnded) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* script : {"exec sleep 100", "cat > /dev/null; exec sleep 100", "exec yes", "kill -STOP $$",
                             R"(cat > /dev/null; printf '\0\0\0\0\0\0\0\0' >&0; exec sleep 100)"}) {
    use_script(script);
    EXPECT_FALSE(lines::compile_apart(source(), 90, std::chrono::seconds(1))) << script;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  expect_no_children();
}

TEST_F(CompilesApart, OnlyProgramsFromTheRoot) {
  for (const char* name : {"kernel-compiler", "./kernel-compiler", ""}) {
    setenv("SHARDFFT_COMPILER", name, 1);
    EXPECT_EQ(lines::compiler_program(), "");
  }
  setenv("SHARDFFT_COMPILER", "/bin/true", 1);
  EXPECT_EQ(lines::compiler_program(), "/bin/true");
  unsetenv("SHARDFFT_COMPILER");
  EXPECT_EQ(lines::compiler_program().front(), '/');
}

TEST_F(CompilesApart, NothingWhenItIsKilled) {
  EXPECT_FALSE(compiled_while([](int process) { return kill(process, SIGKILL) == 0; }));
  expect_no_children();
}

TEST_F(CompilesApart, WithoutWhatThisProcessHasOpen) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const fs::path pipe_name = fs::read_symlink("/proc/self/fd/" + std::to_string(pipe_ends[1]));
  bool closed = false;
  const auto holds_it = [&](int process) {
    std::error_code ended;
    for (const auto& file : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", ended))
      if (fs::read_symlink(file, ended) == pipe_name) return true;
    return static_cast<bool>(ended);
  };
  EXPECT_TRUE(compiled_while([&](int process) { return closed = closed || !holds_it(process); }));
  EXPECT_TRUE(closed);
  for (const int end : pipe_ends) close(end);
}

TEST_F(CompilesApart, PlansCompileWhereItCannot) {
  setenv("SHARDFFT_CACHE", "", 1);
  setenv("SHARDFFT_COMPILER", "/bin/true", 1);
  EXPECT_FALSE(lines::machine_code(source(), 90).cubin.empty());
}

TEST_F(CompilesApart, PlansDoNotAskAgainWhatDoesNotAnswer) {
  setenv("SHARDFFT_CACHE", "", 1);
  const fs::path starts = use_script("echo >> \"$0.starts\"").string() + ".starts";
  for (const char* program : {"__global__ void first() {}", "__global__ void second() {}"})
    EXPECT_FALSE(lines::machine_code(program, 90).cubin.empty());
  EXPECT_EQ(fs::file_size(starts), 1U);
}

}  // namespace
}  // namespace shardfft::test
