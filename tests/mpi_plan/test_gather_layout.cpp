// Layouts put together from what each rank says it owns.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const Shape gather_shape{6, 5, 4};

TEST(GatherLayout, HasEverybodysSet) {
  const int ranks = world().size();
  for (const std::string name : {"slab", "brick", "cyclic", "mosaic", "last-owns"}) {
    SCOPED_TRACE(name);
    const Layout zoo = zoo_layout(name, gather_shape, ranks);
    const Layout gathered = gather_layout(MPI_COMM_WORLD, gather_shape, zoo.local(world().rank()), zoo.order());
    EXPECT_TRUE(gathered.same_as(zoo)) << gathered.describe();
    EXPECT_EQ(gathered.order(), zoo.order());
  }
}

TEST(GatherLayout, ServesAsInput) {
  const int ranks = world().size();
  const IndexSet mine = Layout::slab(gather_shape, ranks, 2).local(world().rank());
  const TransformCase c{gather_shape, "", "", Kind::c2c, Precision::f64, quick()};
  Plan plan(MPI_COMM_WORLD, c2c<double>, gather_layout(MPI_COMM_WORLD, gather_shape, mine), natural_output, c.options);
  check_plan(plan, c);
}

TEST(GatherLayout, RefusesOnEveryRank) {
  const Status bad = Status::invalid_argument;
  const bool first = world().rank() == 0;
  const auto gather = [](const Shape& whole, const IndexSet& mine) {
    return [whole, mine] { gather_layout(MPI_COMM_WORLD, whole, mine); };
  };
  expect_error(bad, "without an owner",
               gather(gather_shape, first ? box({0, 0, 0}, {6, 5, 3}) : empty_set(gather_shape)));
  expect_error(bad, "the index set has 2 axes",
               gather(gather_shape, first ? box({0, 0}, {6, 5}) : empty_set(gather_shape)));
  expect_error(bad, "1 to 4 axes, got 11", gather(Shape(11, 2), IndexSet{11, {}}));
  expect_error(bad, "MPI_COMM_NULL", [] { gather_layout(MPI_COMM_NULL, gather_shape, whole_box(gather_shape)); });
  if (world().size() == 1) return;
  expect_error(bad, "boxes overlap", gather(gather_shape, whole_box(gather_shape)));
  const IndexSet mine = first ? whole_box(gather_shape) : empty_set(gather_shape);
  expect_error(Status::mismatch, "different arrays or orders of axes (rank 0: 6x5x4", [&] {
    gather_layout(MPI_COMM_WORLD, gather_shape, mine, first ? AxisOrder{2, 1, 0} : AxisOrder{});
  });
}

}  // namespace
}  // namespace shardfft::test
