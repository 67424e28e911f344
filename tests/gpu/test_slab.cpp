// Slabs on the GPUs of one process: every way in which passes and shares can lie, and calls that do not wait.
#include "gpu/group_kit.hpp"
#include "support/slab_cases.hpp"

namespace shardfft::test {
namespace {

TEST(GroupSlabs, OfAllKinds) {
  int turn = 0;
  for (const TransformCase& c : small_slabs()) check_case_on(2 + turn++ % 3, c);
}

TEST(GroupSlabs, ByPasses) {
  const SmallerGpus smaller;
  int turn = 2;
  for (const TransformCase& c : slabs_by_passes()) check_case_on(2 + turn++ % 3, c);
}

TEST(GroupSlabs, OfRanksThatShareADevice) {
  const SmallerGpus smaller;
  const std::vector<int> devices{0, 1 % device::device_count(), 0};
  for (const TransformCase& c : {small_slabs()[1], small_slabs()[5], slabs_by_passes()[0]}) {
    Plan plan = make_plan_over(devices, c);
    check_device_plan(members_of(plan), c);
  }
}

/// One rank has no plane in one of its chunks.
TEST(GroupSlabs, InChunksWithoutPlanes) {
  TransformCase c{{128, 128, 16}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
  c.options.chunks = 43;
  c.options.verify = true;
  check_case_on(3, c);
}

/// Stored, sent in chunks, by the vendor's library; both directions without a pause, from results that are poisoned.
TEST(GroupSlabs, CallsWithoutAPause) {
  for (const int ranks : {1, 2, 3})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const auto& [shape, chunks] :
           {std::pair{Shape{128, 12, 32}, 0}, {Shape{128, 12, 32}, 3}, {Shape{7, 9, 5}, 2}}) {
        TransformCase c{shape, "slab", "left", kind, Precision::f64, on_gpu("slab")};
        c.options.chunks = chunks;
        SCOPED_TRACE(std::to_string(ranks) + " ranks: " + c.name());
        Plan plan = make_plan_over(devices_for(ranks), c);
        check_without_pause(plan, c);
      }
}

/// Pairs of both directions on the same arrays, of which the last ones are replayed.
TEST(GroupSlabs, PairsAsGraphs) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Shape& shape : {Shape{128, 128, 16}, Shape{12, 10, 6}}) {
      const TransformCase c{shape, "slab", "left", kind, Precision::f64, on_gpu("slab")};
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(3), c);
      const Members members = members_of(plan);
      std::vector<CallArrays> there = make_arrays(members, c, Direction::forward, "device", false);
      std::vector<CallArrays> back = make_arrays(members, c, Direction::backward, "device", false);
      for (std::uint64_t run = 0; run < 5; ++run) {
        check_arrays(members, there, c, Direction::forward, run);
        check_arrays(members, back, c, Direction::backward, run);
      }
      EXPECT_EQ(plan.report().forward.graph_runs, 3);
      EXPECT_EQ(plan.report().backward.graph_runs, 3);
    }
}

}  // namespace
}  // namespace shardfft::test
