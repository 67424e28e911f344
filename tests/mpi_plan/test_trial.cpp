// The one trial: how long it may take, which candidates run again and which one wins, with clocks of the ranks that
// differ, and times that nearly do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/hooks.hpp"
#include "choose/trial.hpp"
#include "support/fake_time.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

Trial empty() {
  return Trial(world(), [](std::size_t) { return 0.0; });
}

TEST(Trial, NothingFitsBeforeTimeIsAllowed) {
  FakeTime time;
  const Installed<Clock> clock(time);
  Trial budget = empty();
  EXPECT_FALSE(budget.room(0.001));
  budget.allow(1, 2);
  EXPECT_TRUE(budget.room(0.001));
}

TEST(Trial, BeginsWhereItIsMadeAndEndsWithItsTime) {
  FakeTime time;
  time.now = 100;
  const Installed<Clock> clock(time);
  Trial budget = empty();
  budget.allow(4, 10);
  EXPECT_TRUE(budget.room(4));
  EXPECT_FALSE(budget.room(4.5));
  time.now = 103;
  EXPECT_TRUE(budget.meet());
  EXPECT_EQ(budget.elapsed(), 3);
  EXPECT_TRUE(budget.room(1));
  EXPECT_FALSE(budget.room(1.5));
  EXPECT_EQ(budget.deadline(0.25), 103.75);
  time.now = 105;
  EXPECT_FALSE(budget.meet(world().rank() > 0)) << "one rank says no";
  EXPECT_FALSE(budget.room());
  EXPECT_EQ(budget.deadline(0), 104);
}

TEST(Trial, IsNeitherMoreThanTheMostNorLessThanTheLeast) {
  FakeTime time;
  const Installed<Clock> clock(time);
  Trial budget = empty();
  budget.allow(30, 2);
  EXPECT_TRUE(budget.room(2));
  EXPECT_FALSE(budget.room(2.5));
  budget.allow(1e-9, 2);
  EXPECT_TRUE(budget.room(host_defaults().trial_least_seconds));
  EXPECT_FALSE(budget.room(host_defaults().trial_least_seconds * 1.01));
}

/// The rank that is behind has less time left; all do as it must.
TEST(Trial, TheSlowestRankCounts) {
  FakeTime time;
  const Installed<Clock> clock(time);
  Trial budget = empty();
  budget.allow(4, 10);
  const bool last = world().rank() == world().size() - 1;
  time.now = last ? 3 : 1;
  budget.meet();
  EXPECT_EQ(budget.elapsed(), 3);
  EXPECT_TRUE(budget.room(1));
  EXPECT_FALSE(budget.room(2));
  EXPECT_EQ(budget.deadline(0), time.now + 1);  // on the rank's own clock
}

/// Candidates that take so long, on a clock of the test.
struct Times {
  std::vector<double> seconds;
  double hopeless = Trial::unlimited;
  std::vector<int> runs = std::vector<int>(seconds.size());
  FakeTime time = {};

  std::size_t winner(double allowed = 1e9) {
    const Installed<Clock> clock(time);
    Trial trial(
        world(),
        [this](std::size_t one) {
          ++runs[one];
          time.now += seconds[one];
          return seconds[one];
        },
        hopeless);
    trial.allow(allowed, allowed);
    for (std::size_t i = 0; i < seconds.size(); ++i) trial.run({trial.enter()});
    trial.run_rounds();
    return trial.winner();
  }
};

std::size_t winner(std::vector<double> seconds) { return Times{std::move(seconds)}.winner(); }

TEST(Trial, TheFirstUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(winner({1.0}), 0U);
  EXPECT_EQ(winner({1.0, 0.98}), 0U);
  EXPECT_EQ(winner({1.0, 0.96}), 1U);
  EXPECT_EQ(winner({1.0, 0.90, 0.89}), 2U);  // only the first one is expected
  EXPECT_EQ(winner({1.0, 0.89, 0.90}), 1U);
  EXPECT_EQ(winner({0.5, 0.89, 0.90}), 0U);
}

TEST(Trial, RunsInRoundsWhileThereIsTimeAndHope) {
  Times all{{1, 2, 1.2}}, hopeful{{1, 2, 1.2}, 1.3}, hasty{{1, 2, 1.2}}, alone{{1}};
  all.winner();
  EXPECT_EQ(all.runs, (std::vector<int>{8, 8, 8}));
  hopeful.winner();
  EXPECT_EQ(hopeful.runs, (std::vector<int>{8, 1, 8}));
  hasty.winner(9);
  EXPECT_EQ(hasty.runs, (std::vector<int>{2, 2, 2}));
  alone.winner();
  EXPECT_EQ(alone.runs, std::vector<int>{1}) << "there is nothing to compare it with";
}

TEST(Trial, EachQuestionHasItsWinner) {
  const std::vector<double> seconds{3, 1, 2, 0.5};
  Trial trial(world(), [&](std::size_t one) { return seconds[one]; });
  trial.allow(1, 1);
  trial.run({trial.enter(0), trial.enter(1), trial.enter(0), trial.enter(1)});
  EXPECT_EQ(trial.winner(0), 2U);
  EXPECT_EQ(trial.winner(1), 3U);
  trial.withdraw();
  EXPECT_EQ(trial.winner(1), 1U);
}

}  // namespace
}  // namespace shardfft::test
