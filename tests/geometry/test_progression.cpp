// Progressions and index sets against their definition: sets of numbers.
#include <gtest/gtest.h>

#include <set>

#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"
#include "support/seed.hpp"

namespace shardfft::test {
namespace {

std::set<std::int64_t> members(const Progression& p) {
  std::set<std::int64_t> numbers;
  for (std::int64_t i = 0; i < p.count; ++i) numbers.insert(p.first + i * p.stride);
  return numbers;
}

std::set<std::int64_t> common_members(const Progression& a, const Progression& b) {
  const std::set<std::int64_t> in_b = members(b);
  std::set<std::int64_t> both;
  for (const std::int64_t i : members(a))
    if (in_b.count(i) != 0) both.insert(i);
  return both;
}

std::string words_of(const Progression& p) {
  return "{" + std::to_string(p.first) + ", " + std::to_string(p.count) + ", " + std::to_string(p.stride) + "}";
}

void check_intersection(const Progression& a, const Progression& b) {
  const Progression common = intersect(a, b);
  ASSERT_EQ(members(common), common_members(a, b))
      << words_of(a) << " and " << words_of(b) << " gave " << words_of(common);
  ASSERT_GE(common.stride, 1);
  ASSERT_EQ(common, intersect(b, a)) << words_of(a) << " and " << words_of(b);
}

TEST(Progression, IntersectsLikeSetsForAllSmallCases) {
  std::vector<Progression> all;
  for (std::int64_t first = 0; first < 5; ++first)
    for (std::int64_t count = 0; count < 6; ++count)
      for (std::int64_t stride = 1; stride < 7; ++stride) all.push_back({first, count, stride});
  for (const Progression& a : all)
    for (const Progression& b : all) ASSERT_NO_FATAL_FAILURE(check_intersection(a, b));
}

TEST(Progression, IntersectsLikeSetsAtRandom) {
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    const auto draw = [&] {
      return Progression{random.integer(0, 60), random.integer(0, 40), random.integer(1, random.coin() ? 4 : 50)};
    };
    ASSERT_NO_FATAL_FAILURE(check_intersection(draw(), draw()));
  }
}

/// Indices near 2^60 and strides near 2^40: products of strides do not fit 64 bits.
TEST(Progression, IntersectsLargeOnes) {
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t meeting = random.integer(std::int64_t{1} << 50, std::int64_t{1} << 60);
    const auto draw = [&] {
      const std::int64_t stride = random.integer(1, std::int64_t{1} << random.integer(1, 40));
      const std::int64_t before = random.integer(0, 9);
      return Progression{meeting - before * stride, before + random.integer(random.coin() ? 1 : 0, 9), stride};
    };
    ASSERT_NO_FATAL_FAILURE(check_intersection(draw(), draw()));
  }
}

TEST(Progression, LargeOnesInPlainNumbers) {
  using P = Progression;
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(intersect(P{0, 4 * big, 1}, P{3 * big, 2 * big, 1}), (P{3 * big, big, 1}));
  EXPECT_TRUE(intersect(P{0, big, 2}, P{1, big, 2}).empty());
  EXPECT_EQ(intersect(P{0, big, 2}, P{0, big, 3}), (P{0, 2 * (big - 1) / 6 + 1, 6}));
  EXPECT_EQ(intersect(P{1, big, 1000003}, P{big, big, 1}).stride, 1000003);
}

TEST(Progression, ContainsAndPosition) {
  const Progression p{3, 4, 5};
  const std::set<std::int64_t> inside = members(p);
  for (std::int64_t i = -10; i < 30; ++i) EXPECT_EQ(p.contains(i), inside.count(i) != 0) << i;
  for (std::int64_t i = 0; i < p.count; ++i) EXPECT_EQ(p.position(p.at(i)), i);
  EXPECT_EQ(p.last(), 18);
  EXPECT_FALSE((Progression{3, 0, 1}).contains(3));
}

TEST(Progression, NoStrides) {
  using P = Progression;
  EXPECT_TRUE((P{3, 1, 0}).contains(3));
  EXPECT_FALSE((P{3, 1, 0}).contains(4));
  for (const P& still : {P{0, 6, 0}, P{3, 1, 0}, P{3, 1, -2}}) {
    EXPECT_THROW(intersect(still, P{0, 6, 1}), Error);
    EXPECT_THROW(intersect(P{0, 6, 2}, still), Error);
  }
}

/// Every index belongs to exactly one part; sizes differ by one at most, larger ones first.
TEST(Progression, BlockAndCyclicPartsTileAnAxis) {
  for (std::int64_t extent = 1; extent <= 13; ++extent)
    for (std::int64_t parts = 1; parts <= 16; ++parts)
      for (const auto part : {block_part, cyclic_part}) {
        std::multiset<std::int64_t> seen;
        std::int64_t previous = extent;
        for (std::int64_t i = 0; i < parts; ++i) {
          const Progression p = part(extent, parts, i);
          EXPECT_LE(p.count, previous);
          EXPECT_TRUE(p.count == extent / parts || p.count == extent / parts + 1);
          previous = p.count;
          for (const std::int64_t k : members(p)) seen.insert(k);
        }
        std::multiset<std::int64_t> all;
        for (std::int64_t k = 0; k < extent; ++k) all.insert(k);
        EXPECT_EQ(seen, all) << extent << " in " << parts;
      }
  EXPECT_EQ(block_part(10, 4, 1), (Progression{3, 3, 1}));
  EXPECT_EQ(cyclic_part(10, 4, 1), (Progression{1, 3, 4}));
  EXPECT_EQ(cyclic_part(10, 4, 2), (Progression{2, 2, 4}));
}

TEST(IndexSet, IntersectsAxisByAxis) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    IndexSet a;
    IndexSet b;
    a.axes = b.axes = 3;
    for (std::size_t k = 0; k < 3; ++k) {
      a.axis[k] = {random.integer(0, 5), random.integer(0, 5), random.integer(1, 3)};
      b.axis[k] = {random.integer(0, 5), random.integer(0, 5), random.integer(1, 3)};
    }
    const IndexSet common = intersect(a, b);
    std::int64_t count = 0;
    std::array<std::int64_t, max_axes> index{};
    for (index[0] = 0; index[0] < 18; ++index[0])
      for (index[1] = 0; index[1] < 18; ++index[1])
        for (index[2] = 0; index[2] < 18; ++index[2]) {
          const bool both = a.contains(index) && b.contains(index);
          ASSERT_EQ(common.contains(index), both);
          count += both ? 1 : 0;
        }
    ASSERT_EQ(common.count(), count);
    ASSERT_EQ(common.empty(), count == 0);
  }
}

TEST(IndexSet, BoxTakesCorners) {
  const IndexSet set = box({1, 2, 3}, {4, 2, 9});
  EXPECT_EQ(set.axes, 3);
  EXPECT_EQ(set.axis[0], (Progression{1, 3, 1}));
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(box({0, 5}, {2, 8}).count(), 6);
  EXPECT_THROW(box({0, 0}, {1}), Error);
  EXPECT_THROW(box({}, {}), Error);
  EXPECT_THROW(box({2}, {1}), Error);
  EXPECT_THROW(box({-1}, {1}), Error);
}

TEST(IndexSet, EqualityLooksAtUsedAxesOnly) {
  IndexSet a = box({0, 0}, {2, 3});
  IndexSet b = a;
  b.axis[5] = {7, 7, 7};
  EXPECT_EQ(a, b);
  b.axis[1].count = 2;
  EXPECT_FALSE(a == b);
  a.axes = 1;
  EXPECT_FALSE(a == box({0, 0}, {2, 3}));
}

TEST(Progression, PartsThatDoNotExist) {
  for (const auto part : {block_part, cyclic_part}) {
    EXPECT_THROW(part(10, 0, 0), Error);
    EXPECT_THROW(part(10, -2, 0), Error);
    EXPECT_THROW(part(10, 3, 3), Error);
    EXPECT_THROW(part(10, 3, -1), Error);
    EXPECT_THROW(part(-1, 3, 0), Error);
    EXPECT_EQ(part(0, 3, 2).count, 0);
  }
}

}  // namespace
}  // namespace shardfft::test
