// Layouts for a number of ranks: the grids that the library chooses, and what it refuses.
#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {
namespace {

const Shape cube{60, 60, 60};

TEST(LayoutByRanks, PencilsAreNearlySquare) {
  EXPECT_TRUE(Layout::pencil(cube, 12).same_as(Layout::pencil(cube, {4, 3})));
  EXPECT_TRUE(Layout::pencil(cube, 16, 0).same_as(Layout::pencil(cube, {4, 4}, 0)));
  EXPECT_TRUE(Layout::pencil(cube, 7, 1).same_as(Layout::pencil(cube, {7, 1}, 1)));
  EXPECT_TRUE(Layout::pencil(cube, 1).same_as(Layout::pencil(cube, {1, 1})));
  EXPECT_TRUE(Layout::pencil({60, 60}, 6).same_as(Layout::pencil({60, 60}, Shape{6})));
  EXPECT_TRUE(Layout::pencil(cube, 6, 2, {2, 1, 0}).same_as(Layout::pencil(cube, {3, 2}, 2, {2, 1, 0})));
}

TEST(LayoutByRanks, TheLocalAxisCountsFromTheEndToo) {
  EXPECT_TRUE(Layout::pencil(cube, {3, 2}).axis_is_local(2));
  EXPECT_TRUE(Layout::pencil(cube, {3, 2}, -1).same_as(Layout::pencil(cube, {3, 2}, 2)));
  EXPECT_TRUE(Layout::pencil(cube, {3, 2}, -3).same_as(Layout::pencil(cube, {3, 2}, 0)));
  EXPECT_TRUE(Layout::pencil(cube, 6, -2).same_as(Layout::pencil(cube, {3, 2}, 1)));
}

TEST(LayoutByRanks, BricksAreNearlyCubes) {
  EXPECT_TRUE(Layout::brick(cube, 8).same_as(Layout::brick(cube, {2, 2, 2})));
  EXPECT_TRUE(Layout::brick(cube, 30).same_as(Layout::brick(cube, {5, 3, 2})));
  EXPECT_TRUE(Layout::brick(cube, 12, {1, 2, 0}).same_as(Layout::brick(cube, {3, 2, 2}, {1, 2, 0})));
  EXPECT_TRUE(Layout::brick({60}, 5).same_as(Layout::slab({60}, 5)));
}

TEST(LayoutByRanks, CyclicDealsTheFirstAxis) {
  EXPECT_TRUE(Layout::cyclic(cube, 6).same_as(Layout::cyclic(cube, {6, 1, 1})));
}

TEST(LayoutByRanks, ManyRanks) {
  const Layout bricks = Layout::brick({4096, 4096, 4096}, 1 << 20);
  EXPECT_EQ(bricks.parts(0).size(), 128u);
  EXPECT_EQ(bricks.parts(1).size(), 128u);
  EXPECT_EQ(bricks.parts(2).size(), 64u);
  EXPECT_EQ(Layout::pencil({4096, 4096, 8}, 1000003).parts(0).size(), 1000003u);  // a prime
}

TEST(LayoutByRanks, RefusesWhatCannotBe) {
  EXPECT_THROW(Layout::pencil(cube, 0), Error);
  EXPECT_THROW(Layout::brick(cube, -2), Error);
  EXPECT_THROW(Layout::cyclic(cube, 0), Error);
  EXPECT_THROW(Layout::pencil({60}, 4), Error);
  EXPECT_THROW(Layout::pencil(cube, 4, 3), Error);
  EXPECT_THROW(Layout::pencil(cube, 4, -4), Error);
  // The old order of the arguments: local axis, then grid.
  EXPECT_THROW(Layout::pencil({60, 60}, 0, {4}), Error);
}

}  // namespace
}  // namespace shardfft
