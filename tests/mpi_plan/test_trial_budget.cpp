// How long trials may take, and which candidate wins: clocks of the ranks that differ, and times that nearly do not.
#include <gtest/gtest.h>

#include "base/hooks.hpp"
#include "run/trial_budget.hpp"
#include "support/fake_time.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TEST(TrialBudget, NothingFitsBeforeTimeIsAllowed) {
  FakeTime time;
  const Installed<Clock> clock(time);
  TrialBudget budget(world());
  EXPECT_FALSE(budget.room(0.001));
  budget.allow(1, 2);
  EXPECT_TRUE(budget.room(0.001));
}

TEST(TrialBudget, BeginsWhereItIsMadeAndEndsWithItsTime) {
  FakeTime time;
  time.now = 100;
  const Installed<Clock> clock(time);
  TrialBudget budget(world());
  budget.allow(4, 10);
  EXPECT_TRUE(budget.room(4));
  EXPECT_FALSE(budget.room(4.5));
  time.now = 103;
  EXPECT_EQ(budget.elapsed(), 3);
  EXPECT_TRUE(budget.room(1));
  EXPECT_FALSE(budget.room(1.5));
  EXPECT_EQ(budget.deadline(0.25), 103.75);
  time.now = 105;
  EXPECT_FALSE(budget.room());
  EXPECT_EQ(budget.deadline(0), 104);
}

TEST(TrialBudget, IsNeitherMoreThanTheMostNorLessThanTheLeast) {
  FakeTime time;
  const Installed<Clock> clock(time);
  TrialBudget budget(world());
  budget.allow(30, 2);
  EXPECT_TRUE(budget.room(2));
  EXPECT_FALSE(budget.room(2.5));
  budget.allow(1e-9, 2);
  EXPECT_TRUE(budget.room(host_defaults().trial_least_seconds));
  EXPECT_FALSE(budget.room(host_defaults().trial_least_seconds * 1.01));
}

/// The rank that is behind has less time left; all do as it must.
TEST(TrialBudget, TheSlowestRankCounts) {
  FakeTime time;
  const Installed<Clock> clock(time);
  TrialBudget budget(world());
  budget.allow(4, 10);
  const bool last = world().rank() == world().size() - 1;
  time.now = last ? 3 : 1;
  EXPECT_EQ(budget.elapsed(), 3);
  EXPECT_TRUE(budget.room(1));
  EXPECT_FALSE(budget.room(2));
  EXPECT_EQ(budget.deadline(0), time.now + 1);  // on the rank's own clock
}

struct Candidate {
  char name;
  double seconds;
};

char winner(std::vector<Candidate> candidates) { return clearly_fastest(candidates).name; }

TEST(ClearlyFastest, TheFirstUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(winner({{'a', 1.0}}), 'a');
  EXPECT_EQ(winner({{'a', 1.0}, {'b', 0.98}}), 'a');
  EXPECT_EQ(winner({{'a', 1.0}, {'b', 0.96}}), 'b');
  EXPECT_EQ(winner({{'a', 1.0}, {'b', 0.90}, {'c', 0.89}}), 'c');  // only the first one is expected
  EXPECT_EQ(winner({{'a', 1.0}, {'b', 0.89}, {'c', 0.90}}), 'b');
  EXPECT_EQ(winner({{'a', 0.5}, {'b', 0.89}, {'c', 0.90}}), 'a');
}

}  // namespace
}  // namespace shardfft::test
