// Plans in place with little memory beside the arrays, all ranks in this process.
#include "gpu/group_kit.hpp"
#include "support/least_check.hpp"
#include "support/random_layouts.hpp"

namespace shardfft::test {
namespace {

double largest_array(const Plan& plan) {
  std::size_t most = 0;
  for (int m = 0; m < plan.members(); ++m) most = std::max(most, plan.in_place_bytes(m));
  return static_cast<double>(most);
}

void check(int ranks, const TransformCase& c) {
  SCOPED_TRACE(std::to_string(ranks) + " ranks: " + c.name());
  Plan plan = make_plan_over(devices_for(ranks), c);
  expect_least(plan, largest_array(plan));
  check_device_plan(members_of(plan), c, "device", 3);
}

TEST(LeastWorkspace, EveryKindOfStep) {
  for (const int ranks : {1, 2, 3, 4})
    for (const TransformCase& c : least_cases()) check(ranks, c);
}

TEST(LeastWorkspace, OtherExchanges) {
  for (const char* exchange : {"cuda_peer_copy", "cuda_peer_store", "host_staged"})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      check(3, {{12, 10, 9}, "slab", "natural", kind, Precision::f64, least_on_gpu("pencil", exchange)});
}

/// Arrays of many pages, line passes and pieces of cuFFT, in equal and unequal parts.
TEST(LeastWorkspace, ManyRounds) {
  const TransformCase lines{{128, 128, 144}, "slab", "left", Kind::c2c, Precision::f64, least_on_gpu("slab")};
  check(2, lines);
  const Plan plan = make_plan_over(devices_for(2), lines);
  const std::string report = plan.report().to_text();
  for (const char* words : {"line pass", "lines", "rounds of cuda_peer"})
    EXPECT_NE(report.find(words), std::string::npos) << report;
  const auto pages = static_cast<double>(plan.report().workspace_bytes);
  EXPECT_LT(pages, 0.1 * largest_array(plan)) << report;
  check(3, {{71, 113, 90}, "slab", "left", Kind::r2c, Precision::f32, least_on_gpu("slab")});
  check(4, {{65, 127, 86}, "pencil", "natural", Kind::c2c, Precision::f64, least_on_gpu("pencil")});
}

/// Cosine transforms and lines without a pass of their own, whose pieces are parts of the array.
TEST(LeastWorkspace, PiecesOfStridedLines) {
  check(2, {{40, 102, 50}, "slab", "left", Kind::c2c, Precision::f32, least_on_gpu("slab")});
  TransformCase walls{{24, 33, 60}, "slab", "left", Kind::r2c, Precision::f64, least_on_gpu("slab")};
  walls.options.transforms = {AxisTransform::dct1, AxisTransform::dct2, AxisTransform::fft};
  check(2, walls);
}

TEST(LeastWorkspace, OperatorsAndChecks) {
  TransformCase c{{12, 10, 8}, "slab", "left", Kind::r2c, Precision::f64, least_on_gpu()};
  c.options.verify = true;
  check(2, c);
  Plan checked = make_plan_over(devices_for(2), c);
  const std::vector<Buffer> arrays{checked.allocate_input(0), checked.allocate_input(1)};
  EXPECT_EQ(arrays[0].bytes(), checked.in_place_bytes(0));
  const std::vector<void*> both{arrays[0].data(), arrays[1].data()};
  const std::vector<const void*> ins(both.begin(), both.end());
  expect_refusal(Status::unsupported, "in a second array", [&] { checked.apply(Operator::laplacian(), ins, both); });
  check_device_plan(members_of(checked), c);
}

/// Layouts of every kind, whatever sides and orders in memory they have; what cannot be done is refused.
TEST(LeastWorkspace, RandomLayouts) {
  int run = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    Random random(i);
    const Shape shape{random.integer(1, 9), random.integer(1, 9), random.integer(1, 9)};
    const auto ranks = static_cast<int>(random.integer(1, 4));
    std::vector<std::string> names;
    for (const NamedLayout& known : zoo(shape, ranks)) names.push_back(known.name);
    const TransformCase c{shape,
                          one_of(random, names),
                          random.coin() ? "left" : one_of(random, names),
                          static_cast<Kind>(random.integer(0, 2)),
                          random.coin() ? Precision::f32 : Precision::f64,
                          least_on_gpu()};
    try {
      check(ranks, c);
      ++run;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Status::unsupported) << error.what();
      EXPECT_NE(std::string(error.what()).find("workspace = "), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(run, 15);
}

/// The order of the input is that of the result; arrays that stay in another one are refused.
TEST(LeastWorkspace, OrdersInMemory) {
  const std::vector<int> devices = devices_for(2);
  const AxisOrder turned{1, 0, 2};
  const Plan plan(Devices(devices), r2c<double>, Layout::slab({8, 6, 10}, 2, 0, turned), default_output,
                  least_on_gpu());
  EXPECT_EQ(plan.output().layout.order(), turned);
  expect_refusal(Status::unsupported, "order of axes in memory", [&] {
    Plan(Devices(devices), c2c<double>, Layout::slab({8, 6, 10}, 2), Layout::slab({8, 6, 10}, 2, 1, turned),
         least_on_gpu());
  });
  expect_refusal(Status::unsupported, "is the fastest in memory", [&] {
    Plan(Devices(devices), r2c<double>, Layout::slab({8, 6, 10}, 2, 0, {2, 0, 1}), default_output, least_on_gpu());
  });
}

TEST(LeastWorkspace, Refusals) {
  const TransformCase c{{8, 6, 4}, "slab", "left", Kind::c2c, Precision::f64, least_on_gpu()};
  Plan plan = make_plan_over(devices_for(1), c);
  const Buffer one = plan.allocate_input(), two = plan.allocate_input();
  std::vector<std::byte> host(plan.in_place_bytes() + 16);
  expect_refusal(Status::invalid_argument, "must be the same pointer", [&] { plan.forward(one.data(), two.data()); });
  expect_refusal(Status::invalid_argument, "device memory", [&] { plan.forward(host.data(), host.data()); });
  TransformCase bad = c;
  bad.options.memory = MemoryModel::host;
  expect_refusal(Status::invalid_argument, "memory is host", [&] { make_plan_over(devices_for(1), bad); });
  bad = c;
  bad.options.modes = {4, 3, 2};
  expect_refusal(Status::unsupported, "workspace = fast", [&] { make_plan_over(devices_for(1), bad); });
}

}  // namespace
}  // namespace shardfft::test
