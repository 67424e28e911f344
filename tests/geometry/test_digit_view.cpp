// Digit views: the same memory under other names, for every element.
#include <gtest/gtest.h>

#include "algorithm/digit_view.hpp"
#include "support/elements.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

/// Number of the viewed element, from its index in the view.
std::int64_t unsplit(const Index& index, const Shape& shape, const std::vector<DigitSplit>& splits, bool column_first) {
  Index original{};
  std::size_t at = 0;
  for (std::size_t a = 0; a < splits.size(); ++a) {
    if (splits[a].rows == 0) {
      original[a] = index[at++];
      continue;
    }
    const std::int64_t first = index[at++];
    const std::int64_t second = index[at++];
    original[a] = column_first ? second * splits[a].columns + first : first * splits[a].columns + second;
  }
  return number_of(original, shape);
}

void check_view(const Layout& layout, const std::vector<DigitSplit>& splits, bool column_first) {
  const Layout view = digit_view(layout, splits, column_first);
  ASSERT_EQ(view.ranks(), layout.ranks());
  for (int r = 0; r < layout.ranks(); ++r) {
    ASSERT_EQ(view.count(r), layout.count(r));
    const std::vector<std::int64_t> expected = numbers_by_address(layout, r);
    std::vector<std::int64_t> seen(expected.size(), -1);
    for (const Piece& piece : view.pieces(r)) {
      ASSERT_FALSE(piece.set.empty());
      ASSERT_EQ(piece.set.axes, view.axes());
      for_elements(piece, [&](std::int64_t address, const Index& index) {
        ASSERT_GE(address, 0);
        ASSERT_LT(address, static_cast<std::int64_t>(seen.size()));
        ASSERT_EQ(seen[to_size(address)], -1);
        for (int a = 0; a < view.axes(); ++a) ASSERT_LT(index[to_size(a)], view.shape()[to_size(a)]);
        seen[to_size(address)] = unsplit(index, layout.shape(), splits, column_first);
      });
    }
    EXPECT_EQ(seen, expected) << "rank " << r;
  }
}

std::vector<DigitSplit> splits_of(std::int64_t n) {
  std::vector<DigitSplit> all;
  for (std::int64_t rows = 1; rows <= n; ++rows)
    if (n % rows == 0) all.push_back({rows, n / rows});
  return all;
}

TEST(DigitView, OneAxisOfEveryKind) {
  for (const std::int64_t n : {1, 2, 6, 7, 12, 16, 24, 36})
    for (int ranks : {1, 2, 3, 4, 6, 8})
      for (const auto& [name, layout] : zoo({n}, ranks))
        for (const DigitSplit& split : splits_of(n))
          for (const bool column_first : {false, true}) {
            SCOPED_TRACE(name + " of " + std::to_string(n) + " on " + std::to_string(ranks) + " as " +
                         std::to_string(split.rows) + "x" + std::to_string(split.columns));
            check_view(layout, {split}, column_first);
            if (HasFailure()) return;
          }
}

/// Half spectra are shorter than the view they are seen in.
TEST(DigitView, ArrayShorterThanTheView) {
  for (const std::int64_t n : {2, 12, 15, 16, 30})
    for (int ranks : {1, 3, 4})
      for (const auto& [name, layout] : zoo({n / 2 + 1}, ranks))
        for (const DigitSplit& split : splits_of(n))
          for (const bool column_first : {false, true}) {
            SCOPED_TRACE(name + " of " + std::to_string(n / 2 + 1) + " as part of " + std::to_string(n));
            check_view(layout, {split}, column_first);
          }
}

TEST(DigitView, SomeAxesOfSeveral) {
  const Shape shape{3, 12, 8};
  for (int ranks : {1, 2, 4, 5})
    for (const auto& [name, layout] : zoo(shape, ranks))
      for (const bool column_first : {false, true}) {
        SCOPED_TRACE(name + " on " + std::to_string(ranks));
        check_view(layout, {{}, {3, 4}, {}}, column_first);
        check_view(layout, {{}, {4, 3}, {2, 4}}, column_first);
        check_view(layout, {{1, 3}, {6, 2}, {8, 1}}, column_first);
      }
}

TEST(DigitView, AnyProgression) {
  Random random(51);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t rows = random.integer(1, random.coin() ? 8 : 40);
    const std::int64_t columns = random.integer(1, 8);
    const std::int64_t n = rows * columns;
    Progression p{random.integer(0, n - 1), 0, random.integer(1, random.coin() ? 3 : n)};
    p.count = random.integer(0, (n - 1 - p.first) / p.stride + 1);
    IndexSet set = empty_set({n});
    set.axis[0] = p;
    SCOPED_TRACE(std::to_string(p.first) + "+" + std::to_string(p.stride) + "*" + std::to_string(p.count) + " in " +
                 std::to_string(rows) + "x" + std::to_string(columns));
    check_view(Layout::boxes({n}, {set}), {{rows, columns}}, random.coin());
  }
}

TEST(DigitView, TurnsTheShape) {
  const Layout layout = Layout::slab({2, 12}, 3, 1);
  EXPECT_EQ(digit_view(layout, {{}, {3, 4}}, false).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(digit_view(layout, {{}, {3, 4}}, true).shape(), (Shape{2, 4, 3}));
}

/// Runs that fill whole rows are one piece, so that schedules stay short.
TEST(DigitView, WholeRowsAreOnePiece) {
  const std::int64_t n = std::int64_t{1} << 40;
  const Layout layout = Layout::slab({n}, 8);
  const Layout view = digit_view(layout, {{n / 1024, 1024}}, false);
  for (int r = 0; r < 8; ++r) EXPECT_EQ(view.pieces(r).size(), 1u);
  const Layout odd = digit_view(Layout::slab({n}, 7), {{n / 1024, 1024}}, true);
  for (int r = 0; r < 7; ++r) EXPECT_LE(odd.pieces(r).size(), 3u);
}

/// Rows of an array that was dealt to ranks look alike after as many rows as there are ranks.
TEST(DigitView, RowsThatLookAlikeAreOnePiece) {
  const std::int64_t n = std::int64_t{1} << 40;
  const Layout view = digit_view(Layout::cyclic({n}, {7}), {{n >> 20, 1 << 20}}, false);
  for (int r = 0; r < 7; ++r) {
    EXPECT_LE(view.pieces(r).size(), 9u);
    std::int64_t elements = 0;
    for (const Piece& piece : view.pieces(r)) elements += piece.set.count();
    EXPECT_EQ(elements, view.count(r));
  }
}

}  // namespace
}  // namespace shardfft::test
