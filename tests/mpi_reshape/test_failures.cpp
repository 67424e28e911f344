// An exchange that fails in one group of ranks fails on all: nobody goes on to the next collective call alone.
#include <gtest/gtest.h>

#include "base/hooks.hpp"
#include "mpi/datatype.hpp"
#include "reshape/reshape.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The first group has one plane more than the others, so that its blocks alone are beyond the lowered limit.
TEST(ReshapeFailures, AreAgreedBeyondTheGroup) {
  const std::int64_t ranks = world().size(), columns = ranks % 2 == 0 ? 2 : ranks;  // pairs, or all
  const Shape grid{ranks / columns, columns}, shape{grid[0] + 1, columns, columns};
  CountLimit limit{1};
  const Installed lowered(limit);
  ReshapeSetup setup;
  setup.comm = world();
  setup.exchange = "alltoallv";
  setup.basic_types = true;
  try {
    const Reshape reshape(Layout::pencil(shape, grid, 2), Layout::pencil(shape, grid, 1), setup);
    EXPECT_EQ(world().size(), 1) << "no failure on this rank";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::unsupported);
  }
  world().barrier();
}

}  // namespace
}  // namespace shardfft::test
