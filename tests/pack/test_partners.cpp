// The rounds of pairwise_xor: symmetric, complete, one partner at a time.
#include <gtest/gtest.h>

#include <set>

#include "exchange/partners.hpp"

namespace shardfft {
namespace {

TEST(Partners, EveryPairMeetsOnceAndInTheSameRound) {
  for (int size = 1; size <= 65; ++size) {
    std::vector<std::vector<int>> all;
    for (int rank = 0; rank < size; ++rank) all.push_back(partners_by_round(rank, size));
    for (int rank = 0; rank < size; ++rank) {
      const auto& mine = all[static_cast<std::size_t>(rank)];
      ASSERT_EQ(mine.size(), static_cast<std::size_t>(size < 2 ? 0 : size % 2 == 0 ? size - 1 : size));
      std::set<int> met;
      for (std::size_t round = 0; round < mine.size(); ++round) {
        if (mine[round] < 0) continue;
        ASSERT_NE(mine[round], rank);
        ASSERT_EQ(all[static_cast<std::size_t>(mine[round])][round], rank) << size << " ranks, round " << round;
        met.insert(mine[round]);
      }
      ASSERT_EQ(met.size(), static_cast<std::size_t>(size - 1));
    }
  }
}

TEST(Partners, PowersOfTwoUseExclusiveOr) {
  EXPECT_EQ(partners_by_round(5, 8), (std::vector<int>{4, 7, 6, 1, 0, 3, 2}));
  EXPECT_EQ(partners_by_round(0, 2), std::vector<int>{1});
}

}  // namespace
}  // namespace shardfft
