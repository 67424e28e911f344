// Limits of one rank's process: plans look at them before they choose, and errors name them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#include "base/aligned.hpp"
#include "base/available_memory.hpp"
#include "base/page_size.hpp"
#include "base/proof.hpp"
#include "base/require_threads.hpp"
#include "exec/movement.hpp"
#include "mpi/host_window.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// A limit of the last rank's process while it lives.
class Limited {
 public:
  Limited(__rlimit_resource resource, std::size_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit now{static_cast<rlim_t>(most), before_.rlim_max};
    if (world().rank() == world().size() - 1) setrlimit(resource_, &now);
    world().barrier();
  }
  ~Limited() {
    world().barrier();
    setrlimit(resource_, &before_);
  }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

std::size_t mapped_now() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(getpagesize());
}

/// Arrays of half a MiB a rank, or of 2.
TransformCase some_megabytes(const std::string& exchange, std::int64_t rows = 128) {
  TransformCase c{{2 * world().size(), rows, rows}};
  c.options.effort = Effort::estimate;
  c.options.exchange = exchange;
  return c;
}

/// What the report says of the exchange.
std::string told(const Plan& plan) {
  for (const auto& choice : plan.report().choices)
    if (choice.what == "exchange") return choice.chosen + ": " + choice.why;
  return {};
}

void expect_messages(const Plan& plan, const std::string& limit) {
  const std::string why = told(plan);
  EXPECT_EQ(why.rfind("alltoallv", 0), 0u) << why;
  EXPECT_NE(why.find(limit), std::string::npos) << why;
  EXPECT_NE(why.find("[rank " + std::to_string(world().size() - 1) + "]"), std::string::npos) << why;
}

/// An exchange that was asked for is not changed: all ranks are told the limit.
void expect_refusal(const std::string& limit) {
  expect_error(Status::out_of_memory, limit, [] {
    const TransformCase c = some_megabytes("shared_window", 256);
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    const Buffer in = plan.allocate_input(), out = plan.allocate_output();
    plan.forward(in.data(), out.data());
  });
}

TEST(Limits, OnTheSizeOfFiles) {
  const Limited limit(RLIMIT_FSIZE, mebibyte);
  const TransformCase c = some_megabytes("auto");
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  expect_messages(plan, "RLIMIT_FSIZE, ulimit -f) is 1 MiB");
  check_run(plan, c, Direction::forward, false, 1);
  expect_refusal("RLIMIT_FSIZE, ulimit -f) is 1 MiB");
  HostMemory host(world(), 0);
  expect_error(Status::out_of_memory, "RLIMIT_FSIZE", [&] { host.allocate(mebibyte); });  // the proof is beyond it
  EXPECT_NO_THROW(host.allocate(mebibyte / 2 / static_cast<std::size_t>(world().size())));
}

TEST(Limits, OfNoFileAtAll) {
  const Limited limit(RLIMIT_FSIZE, 100);
  if (world().size() == 1) return;  // it shares with nobody
  const TransformCase c = some_megabytes("auto");
  const Plan plan = make_plan(MPI_COMM_WORLD, c);
  EXPECT_NE(told(plan).find("RLIMIT_FSIZE"), std::string::npos) << told(plan);
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST(Limits, OnAddresses) {
  if (sanitized) GTEST_SKIP() << "the sanitizer ends processes that get no memory";
  const TransformCase c = some_megabytes("auto", 256);
  std::optional<Limited> limit(std::in_place, RLIMIT_AS,
                               mapped_now() + 9 * mebibyte * static_cast<std::size_t>(world().size()));
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  expect_messages(plan, "RLIMIT_AS, ulimit -v) is ");
  limit.reset();
  const Buffer in = plan.allocate_input(), out = plan.allocate_output();
  EXPECT_NO_THROW(plan.forward(in.data(), out.data()));
}

/// As OnAddresses, where pages have 64 KiB: the kernel counts those.
TEST(Limits, OnAddressesInLargerPages) {
  if (sanitized) GTEST_SKIP() << "the sanitizer ends processes that get no memory";
  PageSizes told{16 * page_sizes().page, page_sizes().huge};
  const Installed<PageSizes> pages(told);
  const TransformCase c = some_megabytes("auto", 256);
  const Limited limit(RLIMIT_AS, 16 * mapped_now() + 9 * mebibyte * static_cast<std::size_t>(world().size()));
  expect_messages(make_plan(MPI_COMM_WORLD, c), "RLIMIT_AS, ulimit -v) is ");
}

TEST(Limits, OnOpenFiles) {
  if (sanitized) GTEST_SKIP() << "the sanitizer looks at the types of objects through a pipe";
  const int next = open("/dev/null", O_RDONLY);  // the lowest that is free
  close(next);
  const Limited limit(RLIMIT_NOFILE, static_cast<std::size_t>(next));
  if (world().size() == 1) return;  // it shares with nobody
  const TransformCase c = some_megabytes("auto");
  const Plan plan = make_plan(MPI_COMM_WORLD, c);
  EXPECT_NE(told(plan).find("RLIMIT_NOFILE"), std::string::npos) << told(plan);
  expect_error(Status::unsupported, "RLIMIT_NOFILE",
               [] { make_plan(MPI_COMM_WORLD, some_megabytes("shared_window")); });
}

TEST(Limits, OnLockedMemoryMeansNothing) {
  const Limited limit(RLIMIT_MEMLOCK, 0);
  const TransformCase c = some_megabytes("auto");
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_run(plan, c, Direction::forward, false, 1);
}

/// Root has as many processes as it likes: a child becomes nobody first. The threads that its parent has started are
/// not its own.
TEST(Limits, OnProcesses) {
  require_threads(4);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    const rlimit one{1, 1};
    if (geteuid() == 0 && setresuid(nobody, nobody, nobody) != 0) _exit(77);
    if (setrlimit(RLIMIT_NPROC, &one) != 0) _exit(77);
    const Failure failure = failure_of([] { require_threads(4); });
    _exit(failure.text.find("RLIMIT_NPROC is 1") == std::string::npos ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (any_rank(WEXITSTATUS(status) == 77)) GTEST_SKIP() << "this user can be no other one";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Limits, OnTheSizeOfTraces) {
  if (world().size() > 1) GTEST_SKIP() << "the first rank writes, the last one is limited";
  const auto file = std::filesystem::temp_directory_path() / ("shardfft_trace_" + std::to_string(process_word()));
  TransformCase c = some_megabytes("alltoallv");
  c.options.trace = file.string();
  std::optional<Plan> plan(make_plan(MPI_COMM_WORLD, c));
  const Buffer in = plan->allocate_input(), out = plan->allocate_output();
  for (int run = 0; run < 20; ++run) plan->forward(in.data(), out.data());
  constexpr std::size_t most = 1000;  // what is said on stderr goes into a file too
  const Limited limit(RLIMIT_FSIZE, most);
  testing::internal::CaptureStderr();
  plan.reset();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is not complete: it could not be written whole"),
            std::string::npos);
  EXPECT_LE(std::filesystem::file_size(file), most);
  std::filesystem::remove(file);
}

/// Far more than what threads of tests before it may still give back.
TEST(Limits, OnOneAllocation) {
  if (sanitized) GTEST_SKIP() << "the sanitizer ends processes that get no memory";
  const Limited limit(RLIMIT_AS, mapped_now() + 64 * mebibyte);
  expect_error(Status::out_of_memory, "RLIMIT_AS", [] { agree(world(), [] { allocate_aligned(1024 * mebibyte); }); });
}

/// In a thread of its own, for which OpenMP has no threads yet.
Failure threads_of_another(int threads) {
  Failure failure;
  std::thread([&] { failure = failure_of([&] { require_threads(threads); }); }).join();
  return failure;
}

TEST(Limits, OnThreads) {
  if (sanitized) GTEST_SKIP() << "the sanitizer ends processes that get no memory";
  {
    const Limited limit(RLIMIT_AS, mapped_now() + 64 * mebibyte);
    const Failure failure = threads_of_another(40);
    const bool limited = world().rank() == world().size() - 1;
    EXPECT_EQ(failure.code, limited ? Status::out_of_memory : Status::ok) << failure.text;
    if (limited) {
      EXPECT_NE(failure.text.find("option threads is 40, but"), std::string::npos) << failure.text;
      EXPECT_NE(failure.text.find("RLIMIT_AS"), std::string::npos) << failure.text;
    }
    TransformCase c = some_megabytes("alltoallv");
    c.options.threads = 40;
    expect_error(Status::out_of_memory, "option threads is 40", [&] { make_plan(MPI_COMM_WORLD, c); });
  }
  EXPECT_FALSE(threads_of_another(3).failed());
}

/// A machine as /proc and /sys describe it.
class Machine {
 public:
  Machine() {
    root_ = std::filesystem::temp_directory_path() / ("shardfft_limits_" + std::to_string(process_word()));
    say("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 8000 kB\nCommitLimit: 5000 kB\nCommitted_AS: 2000 kB\n");
  }
  ~Machine() { std::filesystem::remove_all(root_); }
  void say(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  Room room() const { return memory_room(root_.string()); }
  std::string no_more_mappings() const { return shardfft::no_more_mappings(root_.string()); }

 private:
  std::filesystem::path root_;
};

TEST(MemoryRoom, OfTheHost) {
  const Machine machine;
  EXPECT_EQ(machine.room().bytes, 8000u * 1024);
  machine.say("proc/sys/vm/overcommit_memory", "0\n");
  EXPECT_EQ(machine.room().bytes, 8000u * 1024);
  machine.say("proc/sys/vm/overcommit_memory", "2\n");
  EXPECT_EQ(machine.room().bytes, 3000u * 1024);
  EXPECT_NE(machine.room().limit.find("overcommit_memory is 2"), std::string::npos);
}

TEST(MemoryRoom, OfControlGroupsOfVersion2) {
  const Machine machine;
  machine.say("proc/self/cgroup", "0::/job/step/task\n");
  machine.say("sys/fs/cgroup/job/memory.max", "3000000\n");
  machine.say("sys/fs/cgroup/job/memory.current", "1500000\n");
  machine.say("sys/fs/cgroup/job/memory.stat", "anon 1000000\ninactive_file 500000\nactive_file 7\n");
  machine.say("sys/fs/cgroup/job/step/memory.max", "max\n");
  machine.say("sys/fs/cgroup/job/step/memory.current", "1400000\n");
  EXPECT_EQ(machine.room().bytes, 2000000u);
  EXPECT_NE(machine.room().limit.find("group /job (memory.max is 2.86102 MiB, 0.953674 MiB are used)"),
            std::string::npos)
      << machine.room().limit;
  machine.say("sys/fs/cgroup/job/step/task/memory.max", "1000\n");
  machine.say("sys/fs/cgroup/job/step/task/memory.current", "2000\n");
  EXPECT_EQ(machine.room().bytes, 0u) << "used beyond the limit";
}

/// A container sees its own group at the root, and its name from outside.
TEST(MemoryRoom, OfControlGroupsOfVersion1) {
  const Machine machine;
  machine.say("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n0::/\n");
  machine.say("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.say("sys/fs/cgroup/memory/memory.usage_in_bytes", "600000\n");
  EXPECT_EQ(machine.room().bytes, 8000u * 1024) << "no limit";
  machine.say("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
  machine.say("sys/fs/cgroup/memory/memory.stat", "inactive_file 5\ntotal_inactive_file 100000\n");
  EXPECT_EQ(machine.room().bytes, 500000u);
  EXPECT_NE(machine.room().limit.find("memory.limit_in_bytes"), std::string::npos);
  machine.say("proc/self/cgroup", "3:memory:/../other\n");
  EXPECT_EQ(machine.room().bytes, 500000u);
}

TEST(MemoryRoom, OfMappings) {
  const Machine machine;
  const std::string line = "7f0000000000-7f0000001000 rw-s 00000000 00:01 1 /memfd:shardfft (deleted)\n";
  std::string lines;
  for (int i = 0; i < 14; ++i) lines += line;
  machine.say("proc/sys/vm/max_map_count", "16\n");
  machine.say("proc/self/maps", lines);
  EXPECT_EQ(machine.no_more_mappings(), "");
  machine.say("proc/self/maps", lines + line);
  EXPECT_EQ(machine.no_more_mappings(), "this process has 15 of the 16 mappings that vm.max_map_count lets it have");
}

TEST(MemoryRoom, WhereTheKernelTellsNothing) {
  EXPECT_EQ(no_more_mappings("/nowhere"), "");
  EXPECT_EQ(memory_room("/nowhere").bytes, std::numeric_limits<std::size_t>::max());
}

}  // namespace
}  // namespace shardfft::test
