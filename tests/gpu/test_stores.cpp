// Passes before a reshape that store into the arrays of all owners, on the GPUs of one process.
#include <gtest/gtest.h>

#include "device/plane_pass.hpp"
#include "gpu/group_kit.hpp"
#include "gpu/stores_kit.hpp"
#include "support/device_flips.hpp"

namespace shardfft::test {
namespace {

int stores(const TransformCase& c, int ranks) { return reshapes_by_stores(make_plan_over(devices_for(ranks), c)); }

TransformCase with(TransformCase c, void (*change)(Options&)) {
  change(c.options);
  return c;
}

/// In both directions, and in calls in place, which copy.
TEST(DeviceStores, AreRight) {
  for (const TransformCase& c : stored_cases())
    for (const int ranks : {2, 3, 4}) check_case_on(ranks, c);
}

TEST(DeviceStores, AreTold) {
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels";
  for (const TransformCase& c : stored_cases())
    for (const int ranks : {2, 4}) EXPECT_GE(stores(c, ranks), 1) << ranks << " ranks: " << c.name();
  const TransformCase both{{128, 128, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  for (const int ranks : {2, 3, 4}) EXPECT_EQ(stores(both, ranks), 2) << "both directions";
  if (device::lines::planes_supported(128, 128, Precision::f64, false)) {
    const std::string text = make_plan_over(devices_for(2), stored_cases()[2]).report().to_text();
    EXPECT_NE(text.find("128 128 by plane pass (stores into the peers)"), std::string::npos) << text;
  }
}

/// Layouts that are no slabs: the groups of pencils, and bricks, have the runs of their own lines.
TEST(DeviceStores, OfPencilsAndBricks) {
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels";
  for (const char* const input : {"pencil", "brick"})
    for (const Shape& shape : {Shape{128, 12, 32}, Shape{12, 128, 32}}) {
      const TransformCase c{shape, input, "natural", Kind::c2c, Precision::f64, on_gpu("pencil")};
      EXPECT_GE(stores(c, 4), 1) << c.name() << make_plan_over(devices_for(4), c).report().to_text();
      check_case_on(4, c);
      check_case_on(3, c);
    }
}

/// Whoever says how data moves, in how many chunks or in one array, gets that; and large arrays are sent beside passes.
TEST(DeviceStores, OnlyWhereNothingElseIsAskedFor) {
  const TransformCase c{{128, 128, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  EXPECT_EQ(stores(with(c, [](Options& o) { o.chunks = 2; }), 2), 0);
  EXPECT_EQ(stores(with(c, [](Options& o) { o.in_place = true; }), 2), 0);
  EXPECT_EQ(stores(with(c, [](Options& o) { o.exchange = "cuda_peer_copy"; }), 2), 0);
  EXPECT_EQ(stores(with(c, [](Options& o) { o.workspace = Workspace::least; }), 2), 0);
  EXPECT_EQ(stores(TransformCase{{512, 256, 256}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()}, 2), 0);
  EXPECT_EQ(stores(c, 1), 0);
  if (!device::lines::planes_supported(128, 136, Precision::f64, false)) return;
  const auto large = [](std::int64_t row) {
    return TransformCase{{384, 128, row}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  };
  EXPECT_EQ(stores(large(136), 2), 2) << "next to planes, in rows of 17 runs of memory";
  EXPECT_EQ(stores(large(130), 2), 0) << "in rows that begin within runs";
}

/// Lines that no kernel transforms are copied.
TEST(DeviceStores, OnlyWherePassesCan) {
  EXPECT_EQ(stores({{34, 34, 34}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()}, 2), 0);
}

TEST(DeviceStores, AreRunsOfGraphs) {
  TransformCase c{{128, 128, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices_for(3), c);
  const Members members = members_of(plan);
  std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
  for (std::uint64_t run = 0; run < 5; ++run) check_arrays(members, arrays, c, Direction::forward, run);
  EXPECT_GT(plan.report().forward.graph_runs, 0);
}

/// On the callers' streams nobody waits between calls: others store when the owner's stream has read what was there.
TEST(DeviceStores, WaitForTheirOwners) {
  const TransformCase c{{128, 6, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices_for(3), c);
  EXPECT_EQ(reshapes_by_stores(plan) > 0, device::lines::supported(128));
  check_without_pause(plan, c);
}

/// What is stored into a peer is what that reads: bits that flip between are found.
TEST(DeviceStores, FlipsAreFound) {
  if (!device::lines::planes_checkable(128, 128)) GTEST_SKIP() << "no compiler of kernels here";
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const TransformCase c = verified({{16, 128, 128}, "slab", "left", kind, Precision::f64, on_gpu()});
    SCOPED_TRACE(c.name());
    EXPECT_GE(stores(c, 2), 1);
    check_case_on(2, c);
    Plan plan = make_plan_over(devices_for(2), c);
    VerifiedCall run(plan, c);
    for (const int bit : {0, 30})
      EXPECT_TRUE(run.check_flip(DeviceFlip::Where{0, Moment::between, 1, 0.4, sizeof(double), bit}, Moment::between));
  }
}

}  // namespace
}  // namespace shardfft::test
