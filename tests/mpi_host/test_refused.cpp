// A kernel that forbids processes to read each other's memory, as some containers do: everything is staged.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "mpi_host/host_kit.hpp"

namespace shardfft::test {
namespace {

/// From now on process_vm_readv fails with EPERM in this process. False where that cannot be arranged.
bool forbid_reading() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// It is enough that one rank is refused. False on all ranks where that cannot be arranged.
bool one_is_refused() { return !any_rank(world().rank() == world().size() - 1 && !forbid_reading()); }

TEST(RefusedReading, InputsAreStaged) {
  if (world().size() == 1) return;
  const HostCase c = long_rows();
  const Numbers in = random_input(c.plan().input().count(), 1);
  const Numbers expected = by_messages(c, in);  // before: messages may come through the same call
  if (!one_is_refused()) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_FALSE(cross_memory_allowed());
  Plan plan = c.plan();
  for (int run = 0; run < 2; ++run) {
    Numbers out(expected.size());
    plan.forward(in.data(), out.data());
    EXPECT_LT(distance(out, expected), 1e-12);
  }
  const PlanReport::InputReads ways = ways_of(plan);
  EXPECT_EQ(ways.across, 0);
  EXPECT_EQ(ways.staged, 2);
}

/// If results lie as the input does, the transform of the lines that others read writes them over what was staged.
TEST(RefusedReading, OneSharedArrayIsEnough) {
  if (world().size() == 1) return;
  if (!one_is_refused()) GTEST_SKIP() << "no seccomp filters here";
  for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2}, std::vector<int>{0}})
    for (const Kind kind : fourier_kinds)
      for (const bool verify : {false, true}) {
        if (axes.size() == 1 && kind != Kind::c2c) continue;
        TransformCase c{{24, 20, 32}, "slab", "natural", kind, Precision::f64, quick("slab")};
        c.options.exchange = "shared_window";
        c.options.axes = axes;
        c.options.verify = verify;
        SCOPED_TRACE(c.name());
        Plan plan = make_plan(MPI_COMM_WORLD, c);
        const std::size_t mine = std::max(plan.input().bytes(), plan.output().bytes());
        const std::int64_t array = world().max(static_cast<std::int64_t>(mine)), pages = 8192;
        EXPECT_LE(plan.report().window_bytes, static_cast<std::size_t>(array + pages));
        check_plan(plan, c);
      }
}

}  // namespace
}  // namespace shardfft::test
