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
  const SlabsBySchedule switched;
  for (const TransformCase& c : stored_cases())
    for (const int ranks : {2, 3, 4}) check_case_on(ranks, c);
}

TEST(DeviceStores, AreTold) {
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels";
  const SlabsBySchedule switched;
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
  const SlabsBySchedule switched;
  const TransformCase c{{128, 128, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  EXPECT_EQ(stores(with(c, [](Options& o) { o.chunks = 2; }), 2), 0);
  EXPECT_EQ(stores(with(c, [](Options& o) { o.in_place = true; }), 2), 0);
  EXPECT_EQ(stores(with(c, [](Options& o) { o.exchange = "cuda_peer_copy"; }), 2), 0);
  EXPECT_EQ(stores(with(c, [](Options& o) { o.workspace = Workspace::least; }), 2), 0);
  EXPECT_EQ(stores(TransformCase{{512, 256, 256}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()}, 2), 0);
  EXPECT_EQ(stores(c, 1), 0);
}

/// Lines that no kernel transforms are copied.
TEST(DeviceStores, OnlyWherePassesCan) {
  const SlabsBySchedule switched;
  EXPECT_EQ(stores({{34, 34, 34}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()}, 2), 0);
}

TEST(DeviceStores, AreRunsOfGraphs) {
  const SlabsBySchedule switched;
  TransformCase c{{128, 128, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices_for(3), c);
  const Members members = members_of(plan);
  std::vector<RunArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
  for (std::uint64_t run = 0; run < 5; ++run) check_arrays(members, arrays, c, Direction::forward, run);
  EXPECT_GT(plan.report().forward.graph_runs, 0);
}

/// On the callers' streams nobody waits between calls: others store when the owner's stream has read what was there.
TEST(DeviceStores, WaitForTheirOwners) {
  const SlabsBySchedule switched;
  const std::vector<int> devices = devices_for(3);
  const TransformCase c{{128, 6, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices, c);
  EXPECT_EQ(reshapes_by_stores(plan) > 0, device::lines::supported(128));
  const Members members = members_of(plan);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    constexpr std::size_t runs = 8;
    std::vector<std::vector<RunArrays>> all;
    std::vector<WholeArrays> whole;
    std::vector<std::vector<PlacedArray>> kept(runs);
    for (std::size_t run = 0; run < runs; ++run) {
      auto& arrays = all.emplace_back(make_arrays(members, c, direction, "device", false));
      whole.push_back(whole_arrays(c, direction, arrays.front().from_side.element, run));
      for (std::size_t m = 0; m < devices.size(); ++m) {
        RunArrays& a = arrays[m];
        for_own_elements(a.from_side, 0, [&](std::int64_t at, std::int64_t i) {
          a.host_in.set(at, whole.back().input[0][to_size(i)]);
        });
        a.source().put(a.host_in.data());
        kept[run].emplace_back("device", devices[m], a.to_side.bytes());
      }
    }
    std::vector<void*> outs, streams;
    for (std::size_t m = 0; m < devices.size(); ++m) {
      outs.push_back(all[0][m].out.data());
      streams.push_back(plan.stream(static_cast<int>(m)));
    }
    plan.set_streams(streams);
    for (std::size_t run = 0; run < runs; ++run) {
      std::vector<const void*> ins;  // others each time, so that no run is one of a graph
      for (RunArrays& a : all[run]) ins.push_back(a.source().data());
      members.run(direction, ins, outs);
      for (std::size_t m = 0; m < devices.size(); ++m) {
        const device::DeviceScope scope(devices[m]);
        device::copy_bytes(kept[run][m].data(), outs[m], all[run][m].to_side.bytes(), streams[m]);
      }
    }
    plan.set_streams({});
    for (std::size_t run = 0; run < runs; ++run)
      for (std::size_t m = 0; m < devices.size(); ++m) {
        RunArrays& a = all[run][m];
        const device::DeviceScope scope(devices[m]);
        device::synchronize(streams[m]);
        kept[run][m].get(a.host_out.data());
        compare_field(a.host_out, a.to_side, 0, whole[run].output[0], whole[run].points, whole[run].mean_square);
      }
  }
}

/// What is stored into a peer is what that reads: bits that flip between are found.
TEST(DeviceStores, FlipsAreFound) {
  if (!device::lines::planes_checkable(128, 128)) GTEST_SKIP() << "no compiler of kernels here";
  const SlabsBySchedule switched;
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const TransformCase c = verified({{16, 128, 128}, "slab", "left", kind, Precision::f64, on_gpu()});
    SCOPED_TRACE(c.name());
    EXPECT_GE(stores(c, 2), 1);
    check_case_on(2, c);
    Plan plan = make_plan_over(devices_for(2), c);
    VerifiedRun run(plan, c);
    for (const int bit : {0, 30})
      EXPECT_TRUE(run.check_flip(DeviceFlip::Where{0, Moment::between, 1, 0.4, sizeof(double), bit}, Moment::between));
  }
}

}  // namespace
}  // namespace shardfft::test
