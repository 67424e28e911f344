// Planning time and memory do not grow with the batch: plans that no machine could run.
#include <gtest/gtest.h>

#include <ctime>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

Plan plan_of(std::int64_t fields, const std::string& exchange, Kind kind = Kind::c2c) {
  Options o = quick();
  o.batch = fields;
  o.exchange = exchange;
  return Plan(MPI_COMM_WORLD, {kind, Precision::f64}, Layout::slab({16, 12, 10}, world().size()), default_output, o);
}

/// Seconds of this process, so that others on the machine do not count.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(Batches, PlansOfManyFieldsAreMadeAtOnce) {
  constexpr std::int64_t fields = std::int64_t{1} << 40;
  plan_of(4, "auto");
  for (const char* const exchange : {"auto", "alltoallv", "shared_window"})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      const double begin = processor_seconds();
      const Plan plan = plan_of(fields, exchange, kind);
      EXPECT_LT(processor_seconds() - begin, 1.0) << exchange;
      EXPECT_EQ(plan.input().count() % fields, 0);
      EXPECT_EQ(plan.output().count() % fields, 0);
    }
}

TEST(Batches, MoreFieldsThanAddressesAreRefused) {
  expect_error(Status::invalid_argument, "more elements than memory has addresses",
               [] { plan_of(std::int64_t{1} << 54, "auto"); });
  expect_error(Status::invalid_argument, "more elements than memory has addresses",
               [] { plan_of(std::int64_t{1} << 62, "auto"); });
}

}  // namespace
}  // namespace shardfft::test
