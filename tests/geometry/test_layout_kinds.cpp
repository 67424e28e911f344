// The constructors of layouts: who owns what, and at which address.
#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "support/elements.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

using Parts = std::vector<std::vector<Progression>>;

/// What the brute-force map of elements says must be what the layout's own questions answer.
void check_questions(const Layout& layout) {
  std::int64_t most = 0;
  std::int64_t sum = 0;
  for (int r = 0; r < layout.ranks(); ++r) {
    most = std::max(most, layout.count(r));
    sum += layout.count(r);
    EXPECT_EQ(layout.local(r).count(), layout.count(r));
    EXPECT_EQ(layout.pieces(r).empty(), layout.count(r) == 0);
  }
  EXPECT_EQ(sum, product(layout.shape()));
  EXPECT_EQ(layout.max_count(), most);
  for (int a = 0; a < layout.axes(); ++a) {
    bool local = true;
    for (int r = 0; r < layout.ranks(); ++r)
      local = local && (layout.count(r) == 0 || layout.local(r).axis[to_size(a)].count == layout.shape()[to_size(a)]);
    EXPECT_EQ(layout.axis_is_local(a), local) << "axis " << a;
  }
}

TEST(LayoutKinds, EveryKindTilesEveryArray) {
  const std::vector<Shape> shapes{{1}, {7}, {2, 3}, {1, 1, 1}, {5, 4, 3}, {7, 2, 6}, {3, 2, 4, 2}};
  for (const Shape& shape : shapes)
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (const auto& [name, layout] : zoo(shape, ranks)) {
        SCOPED_TRACE(name + " " + text(shape) + " on " + std::to_string(ranks));
        EXPECT_EQ(layout.ranks(), ranks);
        EXPECT_EQ(layout.shape(), shape);
        EXPECT_EQ(layout.axes(), static_cast<int>(shape.size()));
        places(layout);
        check_questions(layout);
        EXPECT_NO_THROW(layout.validate());
        EXPECT_FALSE(layout.describe().empty());
      }
}

TEST(LayoutKinds, SlabDealsPlanesInRuns) {
  const Layout layout = Layout::slab({7, 4}, 3);
  EXPECT_EQ(layout.local(0), box({0, 0}, {3, 4}));
  EXPECT_EQ(layout.local(1), box({3, 0}, {5, 4}));
  EXPECT_EQ(layout.local(2), box({5, 0}, {7, 4}));
  EXPECT_TRUE(layout.is_grid());
  EXPECT_TRUE(layout.axis_is_local(1));
  EXPECT_FALSE(layout.axis_is_local(0));
  EXPECT_EQ(Layout::slab({4, 7}, 3, 1).local(2), box({0, 5}, {4, 7}));
}

TEST(LayoutKinds, RanksBeyondThePlanesOwnNothing) {
  const Layout layout = Layout::slab({3, 4}, 8);
  for (int r = 0; r < 3; ++r) EXPECT_EQ(layout.count(r), 4);
  for (int r = 3; r < 8; ++r) EXPECT_EQ(layout.count(r), 0);
  EXPECT_FALSE(layout.axis_is_local(0));
  EXPECT_TRUE(Layout::slab({1, 4}, 8).axis_is_local(0));
}

TEST(LayoutKinds, PencilKeepsLines) {
  const Layout layout = Layout::pencil({4, 5, 6}, {2, 3}, 1);
  EXPECT_EQ(layout.ranks(), 6);
  EXPECT_EQ(layout.local(0), box({0, 0, 0}, {2, 5, 2}));
  EXPECT_EQ(layout.local(1), box({0, 0, 2}, {2, 5, 4}));
  EXPECT_EQ(layout.local(5), box({2, 0, 4}, {4, 5, 6}));
  EXPECT_TRUE(layout.same_as(Layout::brick({4, 5, 6}, {2, 1, 3})));
}

TEST(LayoutKinds, BrickCountsRanksRowMajor) {
  const Layout layout = Layout::brick({4, 6, 5}, {2, 3, 2});
  EXPECT_EQ(layout.local(0), box({0, 0, 0}, {2, 2, 3}));
  EXPECT_EQ(layout.local(1), box({0, 0, 3}, {2, 2, 5}));
  EXPECT_EQ(layout.local(2), box({0, 2, 0}, {2, 4, 3}));
  EXPECT_EQ(layout.local(6), box({2, 0, 0}, {4, 2, 3}));
  EXPECT_EQ(layout.rank_stride(), (std::vector<int>{6, 2, 1}));
}

TEST(LayoutKinds, CyclicDealsIndicesInTurn) {
  const Layout layout = Layout::cyclic({7, 2}, {3, 1});
  EXPECT_EQ(layout.local(0).axis[0], (Progression{0, 3, 3}));
  EXPECT_EQ(layout.local(1).axis[0], (Progression{1, 2, 3}));
  EXPECT_EQ(layout.local(2).axis[0], (Progression{2, 2, 3}));
  EXPECT_EQ(layout.count(0), 6);
}

TEST(LayoutKinds, GridTakesPartsAndRankStrides) {
  const Parts parts{{{0, 2, 1}, {2, 1, 1}}, {{0, 2, 2}, {1, 2, 2}}};
  const Layout layout = Layout::grid({3, 4}, parts, 6, {1, 2});
  EXPECT_EQ(layout.local(0).axis[0], (Progression{0, 2, 1}));
  EXPECT_EQ(layout.local(1).axis[0], (Progression{2, 1, 1}));
  EXPECT_EQ(layout.local(1).axis[1], (Progression{0, 2, 2}));
  EXPECT_EQ(layout.local(2).axis[1], (Progression{1, 2, 2}));
  for (int r = 4; r < 6; ++r) EXPECT_EQ(layout.count(r), 0) << "ranks beyond the grid own nothing";
  places(layout);
  check_questions(layout);
}

TEST(LayoutKinds, SingleGivesAllToItsOwner) {
  const Layout layout = Layout::single({3, 5}, 4, 2);
  EXPECT_EQ(layout.count(2), 15);
  EXPECT_EQ(layout.max_count(), 15);
  EXPECT_TRUE(layout.axis_is_local(0) && layout.axis_is_local(1));
  EXPECT_FALSE(layout.is_grid());
}

/// Axes from slowest to fastest: {2, 0, 1} makes axis 1 the fastest.
TEST(LayoutKinds, OrderSetsStrides) {
  const Piece piece = Layout::slab({4, 5, 6}, 2, 0, {2, 0, 1}).pieces(1).front();
  EXPECT_EQ(piece.stride[1], 1);
  EXPECT_EQ(piece.stride[0], 5);
  EXPECT_EQ(piece.stride[2], 10);
  EXPECT_EQ(piece.offset, 0);
  const Piece natural = Layout::brick({4, 5, 6}, {1, 1, 2}).pieces(0).front();
  EXPECT_EQ(natural.stride[2], 1);
  EXPECT_EQ(natural.stride[1], 3);
  EXPECT_EQ(natural.stride[0], 15);
}

TEST(LayoutKinds, PiecesOnDemand) {
  // Rank r owns rows r and 3 - r of 4, one behind the other.
  const auto pieces = [](int rank) {
    std::vector<Piece> two(2);
    for (int i = 0; i < 2; ++i) {
      const std::int64_t row = i == 0 ? rank : 3 - rank;
      two[to_size(i)] = {box({row, 0}, {row + 1, 5}), i * 5, {5, 1}};
    }
    return two;
  };
  const Layout layout = Layout::from_pieces({4, 5}, 2, pieces);
  places(layout);
  EXPECT_EQ(layout.count(0), 10);
  EXPECT_EQ(layout.max_count(), 10);
  EXPECT_THROW(layout.local(0), Error);
  EXPECT_TRUE(layout.axis_is_local(1));
  EXPECT_FALSE(layout.axis_is_local(0));
  EXPECT_NO_THROW(layout.validate());
}

TEST(LayoutKinds, EmptyLayoutHasNoAxes) {
  EXPECT_EQ(Layout().axes(), 0);
  EXPECT_EQ(Layout().ranks(), 0);
  EXPECT_FALSE(Layout().is_grid());
  EXPECT_EQ(Layout().describe(), "empty layout");
}

}  // namespace
}  // namespace shardfft::test
