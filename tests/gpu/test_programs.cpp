// What runs on GPUs: orders in memory, passes; and what reports say of it.
#include "gpu/group_kit.hpp"

namespace shardfft::test {
namespace {

TEST(GroupPrograms, ReportsWhatChunksReach) {
  Options o = on_gpu("pencil");
  o.chunks = 3;
  Plan pencils(Devices(devices_for(4)), c2c<double>, Layout::pencil({12, 10, 8}, {2, 2}), default_output, o);
  EXPECT_NE(pencils.report().to_text().find("(not cut in chunks)"), std::string::npos) << pencils.report();
  o.algorithm = "slab";
  Plan slab(Devices(devices_for(2)), c2c<double>, Layout::slab({12, 10, 8}, 2), default_output, o);
  EXPECT_NE(slab.report().to_text().find("3 chunks"), std::string::npos) << slab.report();
  EXPECT_EQ(slab.report().to_text().find("(not cut in chunks)"), std::string::npos) << slab.report();
}

/// Transforms run while copies travel: there is no time of either alone.
TEST(GroupPrograms, ReportTellsNoRatioOfChunks) {
  const std::vector<int> devices = devices_for(2);
  TransformCase c{{12, 10, 8}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  c.options.chunks = 2;
  Plan plan = make_plan_over(devices, c);
  check_device_plan(members_of(plan), c);
  const PlanReport report = plan.report();
  EXPECT_TRUE(std::any_of(report.forward.steps.begin(), report.forward.steps.end(),
                          [](const PlanReport::Step& step) { return step.overlaps; }));
  EXPECT_GT(report.forward.seconds, 0);
  EXPECT_FALSE(report.forward.ratio);
  EXPECT_NE(report.to_text().find("is unknown: transforms run"), std::string::npos) << report;
  EXPECT_EQ(report.to_text().find("T_total = "), std::string::npos) << report;
}

/// An output that is given costs no step where the transform leaves it so.
TEST(GroupPrograms, OutputsThatAreLeftSoCostNoStep) {
  const std::vector<int> devices = devices_for(2);
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const Shape half{16, 12, kind == Kind::r2c ? 5 : 8};
    std::vector<std::size_t> steps;
    for (const bool given : {false, true}) {
      const TransformCase c{{16, 12, 8}, "", "", kind, Precision::f64, on_gpu()};
      const Layout in = Layout::slab(c.shape, 2), out = Layout::slab(half, 2, 1);
      Plan plan = given ? Plan(Devices(devices), {kind, Precision::f64}, in, out, c.options)
                        : Plan(Devices(devices), {kind, Precision::f64}, in, default_output, c.options);
      EXPECT_TRUE(plan.output(0).layout.same_as(out));
      steps.push_back(plan.report().forward.steps.size() + plan.report().backward.steps.size());
      check_device_plan(members_of(plan), c);
    }
    EXPECT_EQ(steps.front(), steps.back());
  }
}

/// The caller's order in memory stays, where another one would suit the passes better.
TEST(GroupPrograms, OrdersThatAreGivenStay) {
  for (const Kind kind : kinds) {
    const TransformCase c{{16, 12, 8}, "", "", kind, Precision::f64, on_gpu()};
    const Shape half{16, 12, 5};
    const Layout planes = Layout::slab(c.shape, 2),
                 rows = Layout::slab(kind == Kind::c2c ? c.shape : half, 2, 1, {1, 0, 2});
    const std::vector<int> devices = devices_for(2);
    Plan plan(Devices(devices), {kind, Precision::f64}, kind == Kind::c2r ? rows : planes,
              kind == Kind::c2r ? planes : rows, c.options);
    check_device_plan(members_of(plan), c);
  }
}

/// Programs made for CPUs cut large arrays' transforms in two steps; passes on GPUs are chosen for all axes together.
TEST(GroupPrograms, LocalAxesAreOneStep) {
  for (const Kind kind : kinds) {
    const TransformCase c{{64, 32, 130}, "slab", "natural", kind, Precision::f64, on_gpu()};
    Plan plan = make_plan_over(devices_for(1), c);
    EXPECT_EQ(plan.report().forward.steps.size(), 1u) << plan.report();
    EXPECT_EQ(plan.report().backward.steps.size(), 1u) << plan.report();
    check_device_plan(members_of(plan), c);
  }
}

/// Pencils on 2 x 2 GPUs: every exchange one call of the copy engines a peer, no copies around transforms, nothing
/// scaled apart, whether there are line passes for the lengths or not.
TEST(GroupPrograms, PencilsCopyNothing) {
  for (const auto& [shape, lines] : {std::pair{Shape{128, 128, 32}, true}, {Shape{20, 36, 40}, false}}) {
    SCOPED_TRACE(text(shape));
    TransformCase c{shape, "", "", Kind::c2c, Precision::f64, on_gpu("pencil")};
    c.options.exchange = "cuda_peer_copy";
    const std::vector<int> devices = devices_for(4);
    Plan plan(Devices(devices), c2c<double>, Layout::pencil(shape, {2, 2}), default_output, c.options);
    const std::string report = plan.report().to_text();
    for (const std::string word : {"by copy", ", copy", "calls of cufft"})
      EXPECT_EQ(report.find(word), std::string::npos) << word << " in\n" << report;
    if (lines) {
      EXPECT_EQ(report.find("scale"), std::string::npos) << report;
      EXPECT_NE(report.find("1 peers, 1 copies by engines, 0 by kernels"), std::string::npos) << report;
      EXPECT_NE(report.find("line pass"), std::string::npos) << report;
    }
    const Members members = members_of(plan);
    std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
    check_arrays(members, arrays, c, Direction::forward, 3);
  }
}

}  // namespace
}  // namespace shardfft::test
