// A rank whose device fails in the middle of a call: all ranks give up, nobody waits for ever, and the plan says so
// afterwards.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "device/standin/memory.hpp"
#include "device/standin/settings.hpp"
#include "gpu/stores_kit.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using device::standin::fail_after;
using device::standin::pieces_before_failure;

/// What forward() said; empty where it went well.
std::string said_by(Plan& plan, const PlacedArray& in, const PlacedArray& out) {
  try {
    plan.forward(in.data(), out.data());
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

struct FailureCase {
  std::string algorithm;
  bool asynchronous = false;  ///< on a stream of the caller's, without waiting for the call before
  Shape shape{8, 12, 10};
  bool stores = false;  ///< its passes store into the peer
  std::string exchange = "cuda_peer";
};

/// How many plans could not be used any more.
int broken = 0;

/// One call in which the last rank refuses the piece number `piece` of its work. Returns whether it has so many.
bool check_failure(const FailureCase& c, int piece) {
  SCOPED_TRACE(c.exchange + ", " + c.algorithm + (c.asynchronous ? ", asynchronous" : "") + ", piece " +
               std::to_string(piece));
  const int last = world().size() - 1;
  const device::DeviceScope scope(my_device());
  const device::Stream stream = device::make_stream();
  Options options = on_gpu(c.algorithm);
  options.exchange = c.exchange;
  if (c.exchange == "mixed") options.fake_ranks_per_host = (world().size() + 1) / 2;
  options.check_calls = false;
  if (c.asynchronous) options.stream = stream.get();
  const Layout layout = c.algorithm == "slab" ? Layout::slab(c.shape, world().size())
                                              : Layout::pencil(c.shape, process_grid(world().size(), 2));
  const OwnComm own;
  std::optional<Plan> made(Plan(own.comm, c2c<double>, layout, default_output, options));
  Plan& plan = *made;
  const PlacedArray in("device", my_device(), plan.input().bytes()), out("device", my_device(), plan.output().bytes());
  EXPECT_EQ(reshapes_by_stores(plan) > 0, c.stores);
  EXPECT_EQ(said_by(plan, in, out), "");
  if (world().rank() == last) fail_after(piece);
  const std::string first = said_by(plan, in, out);
  const bool failed = world().either(world().rank() == last && pieces_before_failure() < 0 ? 1 : 0) != 0;
  fail_after(-1);
  const auto says = [&first](const char* what) { return first.find(what) != std::string::npos; };
  if (world().rank() == last)
    EXPECT_EQ(says("told to refuse"), failed) << first;
  else  // what comes after the last meeting spoils nothing for the others
    EXPECT_TRUE(first.empty() || (failed && (says("told to refuse") || says("another rank")))) << first;
  const std::string second = said_by(plan, in, out);
  // A call that never began for anybody may be tried again.
  const bool again = world().min(std::int64_t{second.empty()}) != 0;
  EXPECT_EQ(second.empty(), again) << "not on all ranks alike";
  EXPECT_TRUE(again || (failed && second.find("told to refuse") != std::string::npos)) << second;
  broken += again ? 0 : 1;
  EXPECT_NO_THROW(device::synchronize(stream.get()));
  // Others may still write into what the plan has: its tokens too.
  const std::size_t held = device::standin::MemoryTable::instance().used(my_device());
  made.reset();
  const std::size_t kept = device::standin::MemoryTable::instance().used(my_device());
  if (again)
    EXPECT_LT(kept, held);
  else
    EXPECT_EQ(kept, held) << "freed after a failure";
  return failed;
}

TEST(Failures, NobodyIsLeftWaiting) {
  if (world().size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  setenv("SHARDFFT_TURNS", "1", 1);
  const Shape stored{128, 128, 16};
  for (const FailureCase& c :
       {FailureCase{"slab"}, FailureCase{"slab", true}, FailureCase{"pencil"}, FailureCase{"slab", false, stored, true},
        FailureCase{"slab", true, stored, true}, FailureCase{"pencil", false, {8, 12, 10}, false, "mixed"}}) {
    int piece = 0;
    broken = 0;
    while (check_failure(c, piece) && !HasFailure()) ++piece;
    EXPECT_GE(piece, 2) << "nothing was refused";
    EXPECT_GE(broken, 1) << "nothing was refused half-way";
  }
  unsetenv("SHARDFFT_TURNS");
}

/// Plans are made on all ranks or on none where a device fails while they are tried, and others can be made then.
TEST(Failures, InTheTrialOfAPlan) {
  if (world().size() == 1) GTEST_SKIP() << "one rank tries nothing";
  Options options = on_gpu("pencil");
  options.effort = Effort::measure;
  const Layout layout = Layout::pencil({8, 12, 10}, process_grid(world().size(), 2));
  int refused = 0;
  for (int piece = 0; piece < 400; piece = 2 * piece + 7) {
    SCOPED_TRACE("piece " + std::to_string(piece));
    const OwnComm own;
    if (world().rank() == world().size() - 1) fail_after(piece);
    std::string said;
    try {
      const Plan plan(own.comm, c2c<double>, layout, default_output, options);
    } catch (const Error& e) {
      said = e.what();
    }
    fail_after(-1);
    EXPECT_EQ(world().max(std::int64_t{said.empty()}), world().min(std::int64_t{said.empty()})) << said;
    EXPECT_TRUE(said.empty() || said.find("told to refuse") != std::string::npos ||
                said.find("another rank") != std::string::npos)
        << said;
    refused += said.empty() ? 0 : 1;
  }
  EXPECT_GE(refused, 1);
  TransformCase c{{8, 12, 10}, "pencil", "left", Kind::c2c, Precision::f64, options};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c);
}

TEST(Failures, TurnsAreWantedOrNot) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  setenv("SHARDFFT_TURNS", world().rank() == 0 ? "0" : "1", 1);
  const auto make = [] {
    Options options = on_gpu("slab");
    options.exchange = "cuda_peer";
    const Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({8, 12, 10}, world().size()), default_output, options);
  };
  EXPECT_THROW(make(), Error);
  setenv("SHARDFFT_TURNS", "often", 1);
  EXPECT_THROW(make(), Error);
  setenv("SHARDFFT_TURNS", "0", 1);
  EXPECT_NO_THROW(make());
  unsetenv("SHARDFFT_TURNS");
}

}  // namespace
}  // namespace shardfft::test
