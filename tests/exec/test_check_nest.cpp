// Loops over what a check adds up: merged or not, and with another array beside them, they reach the same numbers.
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "verify/check_nest.hpp"
#include "verify/sum_range.hpp"

namespace shardfft {
namespace {

using Reached = std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;  ///< element, transform, other element

Reached reached(const CheckNest& nest) {
  Reached all{{nest.first(), nest.first_unit(), nest.other_first()}};
  for (const NestedLoop& loop : nest.merged()) {
    Reached next;
    for (const auto& [element, unit, other] : all)
      for (std::int64_t i = 0; i < loop.count; ++i)
        next.insert({element + i * loop.stride, unit + i * loop.unit_stride, other + i * loop.other_stride});
    all = std::move(next);
  }
  return all;
}

/// Lines along the widest of three loops, 4 x 3 x 5 numbers, in rows of `row` numbers.
std::vector<CheckLoop> lines(std::int64_t row) {
  return {{4, 3 * row, 0, 0, std::vector<std::complex<double>>(4, 1), true}, {3, row, 5, 2, {}}, {5, 1, 1, 1, {}}};
}

/// Of all numbers, to rows of so many in the other array; `first` of them lie before.
LoopNest copy_to(std::int64_t own_row, std::int64_t other_row, std::int64_t first) {
  LoopNest nest;
  nest.depth = 3;
  nest.loop = {Loop{4, 3 * own_row, 3 * other_row}, Loop{3, own_row, other_row}, Loop{5, 1, 1}};
  nest.to_offset = first;
  return nest;
}

Reached expected(std::int64_t row, std::int64_t other_row) {
  Reached all;
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      for (std::int64_t k = 0; k < 5; ++k) all.insert({(3 * i + j) * row + k, 5 * j + k, (3 * i + j) * other_row + k});
  return all;
}

TEST(CheckNest, MergesWhatGoesOnInBothArrays) {
  for (const std::int64_t row : {5, 7})
    for (const std::int64_t other_row : {5, 8}) {
      const std::vector<CheckLoop> loops = lines(row);
      CheckNest nest(loops, {});
      EXPECT_EQ(nest.merged().size(), row == 5 ? 2U : 3U);
      ASSERT_TRUE(nest.join(copy_to(row, other_row, 0), CopySide::from, CopyOf::array));
      EXPECT_EQ(nest.merged().size(), row == 5 && other_row == 5 ? 2U : 3U);
      EXPECT_EQ(reached(nest), expected(row, other_row));
      EXPECT_EQ(nest.merged().front().weight, loops.front().weight.data());
    }
}

TEST(CheckNest, JoinsOneCopyOnly) {
  const std::vector<CheckLoop> loops = lines(5);
  CheckNest nest(loops, {});
  ASSERT_TRUE(nest.join(copy_to(5, 8, 0), CopySide::from, CopyOf::array));
  EXPECT_TRUE(nest.join(copy_to(5, 8, 3), CopySide::from, CopyOf::array));
  EXPECT_FALSE(nest.join(copy_to(5, 9, 0), CopySide::from, CopyOf::array));
  EXPECT_EQ(reached(nest), expected(5, 8));
  LoopNest apart = copy_to(5, 8, 0);
  apart.loop[1] = {3, 4, 8};  // rows of five lie four apart in no array
  EXPECT_FALSE(CheckNest(loops, {}).join(apart, CopySide::from, CopyOf::array));
}

TEST(CheckNest, BeginsWhereItsPartDoes) {
  const std::vector<CheckLoop> loops = lines(5);
  CheckNest nest(loops, {{1, 2, 2}, {2, 3, 1}, {0, 3, 1}});
  ASSERT_TRUE(nest.join(copy_to(5, 8, 0), CopySide::from, CopyOf::array));
  Reached all;
  for (const std::int64_t i : {1, 3})
    for (std::int64_t j = 0; j < 3; ++j)
      for (std::int64_t k = 2; k < 5; ++k) all.insert({(3 * i + j) * 5 + k, 5 * j + k, (3 * i + j) * 8 + k});
  EXPECT_EQ(reached(nest), all);
}

/// Where the copy is of the cut alone, it begins with the cut on both sides.
TEST(CheckNest, BeginsWithACopyOfItsCut) {
  const std::vector<CheckLoop> loops = lines(5);
  LoopNest copy;
  copy.depth = 3;
  copy.loop = {Loop{2, 30, 12}, Loop{3, 5, 4}, Loop{3, 1, 1}};
  for (const CopySide side : {CopySide::from, CopySide::to}) {
    CheckNest nest(loops, {{1, 2, 2}, {2, 3, 1}, {0, 3, 1}});
    ASSERT_TRUE(nest.join(copy, side, CopyOf::cut));
    Reached all;
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        for (std::int64_t k = 0; k < 3; ++k)
          all.insert({(3 * (2 * i + 1) + j) * 5 + k + 2, 5 * j + k + 2, (3 * i + j) * 4 + k});
    EXPECT_EQ(reached(nest), all);
    for (Loop& loop : copy.loop) std::swap(loop.from, loop.to);
  }
}

TEST(SumRange, KnowsSumsThatSayNothingRight) {
  constexpr std::int64_t count = 9;
  for (std::int64_t at = 0; at < count; ++at) {
    std::vector<float> sum(count, -2), below(count, 3);
    const auto good = [&] { return in_range(BlockSums<float>{nullptr, sum.data(), below.data()}, count); };
    const auto i = static_cast<std::size_t>(at);
    EXPECT_TRUE(good());
    for (const float number : {0.0F, 1e-20F, 1e20F}) {
      below[i] = number;
      EXPECT_TRUE(good()) << number << " at " << at;
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float number : {1e-30F, 1e-44F, 1e35F, infinity, std::numeric_limits<float>::quiet_NaN()}) {
      below[i] = number;
      EXPECT_FALSE(good()) << number << " at " << at;
    }
    below[i] = 3;
    for (const float number : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
      sum[i] = number;
      EXPECT_FALSE(good()) << number << " at " << at;
    }
  }
}

}  // namespace
}  // namespace shardfft
