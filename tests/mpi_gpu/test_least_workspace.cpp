// Plans in place with little memory beside the arrays, one process a GPU, with every exchange.
#include "support/least_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

void check(const TransformCase& c) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  expect_least(plan, world().max(static_cast<double>(plan.in_place_bytes())));
  check_device_plan(members_of(plan), c, "device", 5);
}

TEST(LeastWorkspace, EveryKindOfStep) {
  for (const TransformCase& c : least_cases()) check(c);
}

TEST(LeastWorkspace, EveryExchange) {
  for (const std::string& exchange : device_exchange_names()) {
    const TransformCase first{{12, 10, 9}, "slab", "left", Kind::c2c, Precision::f64, least_on_gpu("slab", exchange)};
    try {
      make_plan(MPI_COMM_WORLD, first);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Status::unsupported) << exchange << ": " << e.what();
      EXPECT_NE(exchange, "host_staged");
      continue;
    }
    check(first);
    check({{7, 8, 10}, "brick", "natural", Kind::r2c, Precision::f32, least_on_gpu("pencil", exchange)});
  }
}

TEST(LeastWorkspace, ManyRounds) {
  for (const char* exchange : {"auto", "host_staged"})
    check({{65, 63, 66}, "slab", "left", Kind::r2c, Precision::f64, least_on_gpu("slab", exchange)});
}

/// Not even what peers would write slowly comes by way of a buffer.
TEST(LeastWorkspace, ResultsThatAreNoWholePages) {
  if (world().size() > 3) GTEST_SKIP() << "the parts are too small";
  check({{130, 67, 66}, "slab", "natural", Kind::c2c, Precision::f64, least_on_gpu("slab", "auto")});
}

/// Ranks that differ in what they are given are told so, and none waits.
TEST(LeastWorkspace, OneRankWithTwoArrays) {
  const TransformCase c{{8, 6, 4}, "slab", "left", Kind::c2c, Precision::f64, least_on_gpu()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Buffer one = plan.allocate_input(), two = plan.allocate_input();
  void* const out = world().rank() == 0 ? two.data() : one.data();
  if (plan.in_place_bytes() > 0 || world().rank() != 0)
    expect_error(Status::invalid_argument, "must be the same pointer", [&] { plan.forward(one.data(), out); });
}

}  // namespace
}  // namespace shardfft::test
