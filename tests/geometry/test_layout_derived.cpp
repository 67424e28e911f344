// Layouts made from layouts, comparisons, and overlaps.
#include <gtest/gtest.h>

#include <map>

#include "geometry/gaps.hpp"
#include "shardfft/error.hpp"
#include "support/elements.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

using Parts = std::vector<std::vector<Progression>>;

TEST(LayoutDerived, AnotherExtentStillTiles) {
  const Shape shape{6, 5, 8};
  for (int ranks : {1, 2, 3, 4, 6, 11})
    for (const auto& [name, layout] : zoo(shape, ranks))
      for (int axis = 0; axis < 3; ++axis)
        for (const std::int64_t extent : {1, 4, 5, 8, 9, 14}) {
          SCOPED_TRACE(name + " on " + std::to_string(ranks) + ", axis " + std::to_string(axis) + " to " +
                       std::to_string(extent));
          const Layout other = layout.with_axis_extent(axis, extent);
          Shape wanted = shape;
          wanted[to_size(axis)] = extent;
          ASSERT_EQ(other.shape(), wanted);
          ASSERT_EQ(other.order(), layout.order());
          places(other);
          EXPECT_TRUE(other.axis_is_local(axis) || !layout.axis_is_local(axis));
          if (HasFailure()) return;
        }
}

TEST(LayoutDerived, HalvedAxisIsCutTheSameWay) {
  EXPECT_TRUE(Layout::slab({6, 8}, 3, 1).with_axis_extent(1, 5).same_as(Layout::slab({6, 5}, 3, 1)));
  EXPECT_TRUE(Layout::cyclic({6, 8}, {1, 3}).with_axis_extent(1, 5).same_as(Layout::cyclic({6, 5}, {1, 3})));
  EXPECT_TRUE(Layout::slab({6, 8}, 3).with_axis_extent(1, 5).same_as(Layout::slab({6, 5}, 3)));
  const Layout boxes = Layout::boxes({8}, {box({0}, {6}), box({6}, {8})});
  EXPECT_EQ(boxes.with_axis_extent(0, 5).local(0), box({0}, {5}));
  EXPECT_EQ(boxes.with_axis_extent(0, 5).count(1), 0);
  EXPECT_EQ(boxes.with_axis_extent(0, 11).local(1), box({6}, {11}));
}

/// An axis that one rank has whole stays whole: its transform has nowhere else to put the spectrum.
TEST(LayoutDerived, LocalAxisOfUnevenGridStaysLocal) {
  const Layout layout = Layout::grid({4, 6}, Parts{{{0, 4, 1}}, {{0, 0, 1}, {0, 6, 1}}}, 2);
  ASSERT_TRUE(layout.axis_is_local(1));
  EXPECT_TRUE(layout.with_axis_extent(1, 4).axis_is_local(1));
  const Layout runs = Layout::grid({8}, Parts{{{5, 3, 1}, {0, 5, 1}}}, 2);
  EXPECT_EQ(runs.with_axis_extent(0, 6).local(0), box({5}, {6}));
  EXPECT_EQ(runs.with_axis_extent(0, 6).local(1), box({0}, {5}));
}

/// Sets that cannot be continued are refused, not left with holes.
TEST(LayoutDerived, OddSetsAreNotContinued) {
  IndexSet ends = empty_set({3});
  ends.axis[0] = {0, 2, 2};
  const Layout layout = Layout::boxes({3}, {ends, box({1}, {2})});
  ASSERT_NO_THROW(layout.validate());
  EXPECT_THROW(layout.with_axis_extent(0, 4), Error);
  places(layout.with_axis_extent(0, 2));
}

/// Sets of the user's that are dealt in turn are dealt on.
TEST(LayoutDerived, CyclicBoxesGrow) {
  IndexSet even = empty_set({4});
  even.axis[0] = {0, 2, 2};
  IndexSet odd = empty_set({4});
  odd.axis[0] = {1, 2, 2};
  const Layout layout = Layout::boxes({4}, {even, odd});
  for (const std::int64_t extent : {1, 2, 3, 5, 6, 7, 12}) {
    SCOPED_TRACE(extent);
    places(layout.with_axis_extent(0, extent));
  }
}

TEST(LayoutDerived, AnotherOrderKeepsOwners) {
  const Shape shape{3, 4, 5};
  for (const auto& [name, layout] : zoo(shape, 4)) {
    SCOPED_TRACE(name);
    const Layout other = layout.with_order({1, 2, 0});
    EXPECT_EQ(other.order(), (AxisOrder{1, 2, 0}));
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(other.local(r), layout.local(r));
      if (other.count(r) == 0) continue;
      EXPECT_EQ(other.pieces(r).front().stride[0], 1);
    }
    places(other);
  }
  EXPECT_TRUE(Layout::slab(shape, 2).with_order({1, 2, 0}).with_order({}).same_as(Layout::slab(shape, 2)));
  EXPECT_THROW(Layout::slab(shape, 2).with_order({0, 1}), Error);
  EXPECT_THROW(Layout::slab(shape, 2).with_order({0, 1, 1}), Error);
  EXPECT_THROW(Layout::slab(shape, 2).with_order({1, 2, 3}), Error);
}

/// Fields lie one behind the other: field f of an element is f * count further on.
TEST(LayoutDerived, BatchIsTheSlowestAxis) {
  const Shape shape{3, 4, 2};
  const std::int64_t elements = product(shape);
  for (int ranks : {1, 3, 7})
    for (const auto& [name, layout] : zoo(shape, ranks)) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks));
      const Layout batched = layout.with_batch(3);
      EXPECT_EQ(batched.shape(), (Shape{3, 3, 4, 2}));
      const auto one = places(layout);
      const auto all = places(batched);
      for (std::int64_t i = 0; i < 3 * elements; ++i) {
        const ElementPlace& expected = one[to_size(i % elements)];
        EXPECT_EQ(all[to_size(i)].rank, expected.rank);
        EXPECT_EQ(all[to_size(i)].address, expected.address + i / elements * layout.count(expected.rank));
      }
      EXPECT_TRUE(batched.without_batch().same_as(layout));
      EXPECT_EQ(batched.without_batch().order(), layout.order());
      EXPECT_EQ(batched.without_batch().fingerprint(), layout.fingerprint());
    }
  EXPECT_THROW(Layout::slab(shape, 2).with_batch(0), Error);
}

TEST(LayoutDerived, BatchOfPieces) {
  const auto pieces = [](int rank) {
    std::vector<Piece> two;
    for (int i = 0; i < 2; ++i)
      two.push_back({box({i == 0 ? rank : 3 - rank}, {i == 0 ? rank + 1 : 4 - rank}), i, {1}});
    return two;
  };
  const Layout one = Layout::from_pieces({4}, 2, pieces);
  const Layout batched = one.with_batch(2);
  EXPECT_EQ(numbers_by_address(batched, 0), (std::vector<std::int64_t>{0, 3, 4, 7}));
  EXPECT_EQ(numbers_by_address(batched, 1), (std::vector<std::int64_t>{1, 2, 5, 6}));
  EXPECT_TRUE(batched.without_batch().same_as(one));
  EXPECT_THROW(one.with_axis_extent(0, 3), Error);
}

TEST(LayoutDerived, SameAsComparesPlaces) {
  for (const Shape& shape : {Shape{4, 6, 3}, Shape{1, 2, 1}, Shape{7}})
    for (int ranks : {1, 2, 4})
      for (const auto& [name, a] : zoo(shape, ranks))
        for (const auto& [other_name, b] : zoo(shape, ranks))
          EXPECT_EQ(a.same_as(b), places(a) == places(b))
              << name << " and " << other_name << " " << text(shape) << " on " << ranks;
  EXPECT_FALSE(Layout::slab({4, 4}, 2).same_as(Layout::slab({4, 5}, 2)));
  EXPECT_FALSE(Layout::slab({4, 4}, 2).same_as(Layout::slab({4, 4}, 3)));
}

TEST(LayoutDerived, FingerprintTellsLayoutsApart) {
  std::vector<NamedLayout> all;
  for (const Shape& shape : {Shape{6, 4, 8}, Shape{4, 6, 8}, Shape{6, 4, 9}})
    for (int ranks : {2, 4, 6})
      for (const auto& [name, layout] : zoo(shape, ranks))
        all.push_back({name + " " + text(shape) + " on " + std::to_string(ranks), layout});
  for (const auto& [name, a] : all)
    for (const auto& [other_name, b] : all) {
      const bool alike = a.shape() == b.shape() && a.ranks() == b.ranks() && a.is_grid() == b.is_grid() &&
                         a.order() == b.order() && places(a) == places(b);
      // Equal layouts that were made in another way may, but need not, agree.
      EXPECT_TRUE(alike || a.fingerprint() != b.fingerprint()) << name << " and " << other_name;
    }
  EXPECT_EQ(Layout::slab({6, 4}, 3).fingerprint(), Layout::slab({6, 4}, 3).fingerprint());
  EXPECT_NE(Layout::single({6, 4}, 3, 0).fingerprint(), Layout::single({6, 4}, 3, 1).fingerprint());
  std::vector<IndexSet> sets{empty_set({4}), whole_box({4}), empty_set({4})};
  const Layout second = Layout::boxes({4}, sets);
  std::swap(sets[1], sets[2]);
  EXPECT_NE(second.fingerprint(), Layout::boxes({4}, sets).fingerprint());
}

TEST(LayoutDerived, OverlapsAreThoseOfEveryRankByItself) {
  Random random(21);
  const Shape shape{5, 6, 4};
  for (int ranks : {1, 2, 5, 8})
    for (const auto& [name, layout] : zoo(shape, ranks))
      for (int i = 0; i < 20; ++i) {
        IndexSet set = empty_set(shape);
        for (std::size_t a = 0; a < 3; ++a) {
          const std::int64_t first = random.integer(0, shape[a] - 1);
          const std::int64_t stride = random.integer(1, 3);
          set.axis[a] = {first, random.integer(0, (shape[a] - 1 - first) / stride + 1), stride};
        }
        std::map<int, IndexSet> expected;
        for (int r = 0; r < ranks; ++r)
          if (layout.count(r) > 0 && !intersect(set, layout.local(r)).empty())
            expected[r] = intersect(set, layout.local(r));
        std::map<int, IndexSet> seen;
        layout.for_overlaps(set, [&](int rank, const IndexSet& common) {
          EXPECT_TRUE(seen.emplace(rank, common).second) << "rank " << rank << " twice";
        });
        EXPECT_EQ(seen, expected) << name << " on " << ranks;
      }
}

/// What is made of padded rows is padded too; the elements are those of rows without gaps.
TEST(PaddedRows, BeginAtMultiples) {
  const Layout dense = Layout::slab({4, 3, 5}, 3, 0), padded = with_padded_rows(dense, 4);
  EXPECT_FALSE(padded.same_as(dense));
  EXPECT_NE(padded.fingerprint(), dense.fingerprint());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(padded.local(rank), dense.local(rank));
    EXPECT_EQ(padded.count(rank), dense.count(rank) / 5 * 8);
  }
  EXPECT_EQ(padded.max_count(), 2 * 3 * 8);
  const Piece piece = padded.with_batch(2).pieces(0).front();
  EXPECT_EQ(piece.stride[3], 1);
  EXPECT_EQ(piece.stride[2], 8);
  EXPECT_EQ(piece.stride[1], 3 * 8);
  EXPECT_EQ(piece.stride[0], 2 * 3 * 8);
  EXPECT_TRUE(padded.with_axis_extent(2, 8).pieces(1) == Layout::slab({4, 3, 8}, 3, 0).pieces(1));
  const Layout boxes = Layout::boxes({4, 3, 5}, {dense.local(0), dense.local(1), dense.local(2)});
  EXPECT_THROW(with_padded_rows(boxes, 4), Error);
  for (const Layout& none : {dense, boxes, with_padded_rows(Layout::slab({4, 3, 5}, 3, 2), 4)})
    EXPECT_EQ(row_gap(none, 0), 0) << "no gaps, or rows that ranks share";
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(row_gap(padded, rank), 3);
}

}  // namespace
}  // namespace shardfft::test
