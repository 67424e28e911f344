// How batches are cut into backend calls: every transform exactly once, in few calls, evenly over threads.
#include <gtest/gtest.h>

#include <limits>

#include "local/blocking.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

FftSpec lines(std::int64_t n, std::int64_t stride, const Loops& batch) {
  FftSpec spec;
  spec.transform = {{n, stride, stride}};
  spec.batch = batch;
  return spec;
}

/// Transforms that all calls together make.
std::int64_t covered(const Blocking& b) { return points(b.kept) * b.blocked.count * points(b.outer); }

TEST(Blocking, OneCallWhenTheBackendTakesAll) {
  const Blocking b = choose_blocking(lines(64, 8, {{100, 512, 512}, {8, 1, 1}}), {2, unlimited, 1});
  EXPECT_TRUE(b.trivial());
  EXPECT_EQ(covered(b), 800);
}

TEST(Blocking, TheBackendGetsNeighbouringColumns) {
  const Blocking b = choose_blocking(lines(64, 50, {{100, 3200, 3200}, {50, 1, 1}}), {1, unlimited, 1});
  ASSERT_EQ(b.kept.size(), 1u);
  EXPECT_EQ(b.kept[0].from, 1);
  EXPECT_EQ(b.calls(), 100);
}

TEST(Blocking, AShortLoopIsNotWorthItsCalls) {
  const Blocking b = choose_blocking(lines(64, 2, {{1000, 128, 128}, {2, 1, 1}}), {1, unlimited, 1});
  ASSERT_EQ(b.kept.size(), 1u);
  EXPECT_EQ(b.kept[0].count, 1000);
  EXPECT_EQ(b.calls(), 2);
}

TEST(Blocking, CallsFitTheBytesInWholeBundles) {
  // 1000 columns of 64 complex doubles, 1 KiB each: at most 100 KiB a call, in bundles of 16 columns.
  const Blocking b = choose_blocking(lines(64, 1000, {{1000, 1, 1}}), {1, 100 << 10, 1});
  EXPECT_LE(b.block, 100);
  EXPECT_EQ(b.block % 16, 0);
  EXPECT_EQ(b.blocks(), (1000 + b.block - 1) / b.block);
  EXPECT_EQ(covered(b), 1000);
}

TEST(Blocking, ThreadsGetEvenShares) {
  for (const int threads : {2, 3, 4, 7}) {
    const Blocking planes = choose_blocking(lines(64, 1, {{100, 64, 64}}), {1, unlimited, threads});
    EXPECT_EQ(planes.calls(), threads);
    EXPECT_LE(planes.block, (100 + threads - 1) / threads);
    const Blocking columns = choose_blocking(lines(64, 1024, {{1024, 1, 1}}), {1, unlimited, threads});
    EXPECT_EQ(columns.calls(), threads);
    EXPECT_EQ(columns.block % 16, 0);
    const Blocking few = choose_blocking(lines(64, 1, {{2, 64, 64}}), {1, unlimited, threads});
    EXPECT_EQ(few.calls(), 2);
  }
}

TEST(Blocking, ManyOuterCallsAreNotCutFurther) {
  const Blocking b = choose_blocking(lines(64, 50, {{99, 3200, 3200}, {50, 1, 1}}), {1, unlimited, 4});
  EXPECT_EQ(b.calls(), 99);
}

TEST(Loops, MergedLoopsKeepTheirPoints) {
  const Loops merged_once = merged({{3, 20, 40}, {1, 7, 7}, {5, 4, 8}, {4, 1, 2}});
  ASSERT_EQ(merged_once.size(), 1u);
  EXPECT_EQ(merged_once[0].count, 60);
  EXPECT_EQ(merged_once[0].to, 2);
  EXPECT_EQ(merged({{3, 20, 41}, {5, 4, 8}, {4, 1, 2}}).size(), 2u);
}

}  // namespace
}  // namespace shardfft::test
