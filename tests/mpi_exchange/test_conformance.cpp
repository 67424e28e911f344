// Every strategy moves every element to its place, whatever the layouts, element sizes and limits are.
#include "layouts.hpp"
#include "support/mpi_counts.hpp"
#include "support/world.hpp"

namespace shardfft::kit {
namespace {

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, AllLayouts) {
  for (const Case& c : cases()) conform(GetParam(), c);
}

TEST_P(Conformance, ElementSizes) {
  std::size_t turn = 0;
  for (Case c : some_cases()) {
    c.element_bytes = turn++ % 2 == 0 ? 4 : 16;
    conform(GetParam(), c);
  }
}

/// In the place of counts beyond an int: everything arrives, and MPI is given no larger count. Datatypes nest two.
void conform_within(const std::string& strategy, const Case& c) {
  test::largest_count() = 0;
  conform(strategy, c);
  EXPECT_LE(test::largest_count(), std::max<std::int64_t>(c.count_limit, 2)) << strategy << " on " << c.name;
}

TEST_P(Conformance, SmallCountLimit) {
  constexpr std::int64_t limits[] = {7, 2, 33};
  std::size_t turn = 0;
  for (Case c : some_cases()) {
    c.count_limit = limits[turn++ % 3];
    conform_within(GetParam(), c);
  }
  Case tiny{"one element a message", Layout::slab({3, 3, 2}, world().size(), 0),
            Layout::slab({3, 3, 2}, world().size(), 1)};
  tiny.count_limit = 1;
  conform_within(GetParam(), tiny);
}

/// What the test above looks at: without a lower limit the counts are larger.
TEST_P(Conformance, CountsAreSeen) {
  test::largest_count() = 0;
  conform(GetParam(),
          {"slabs", Layout::slab({9, 9, 8}, world().size(), 0), Layout::slab({9, 9, 8}, world().size(), 1)});
  EXPECT_EQ(test::largest_count() > 2, world().size() > 1);
}

/// The strategies that ask who shares a host.
bool host_aware(const std::string& strategy) { return strategy == "hierarchical" || strategy == "p2p_alltoall"; }

TEST_P(Conformance, FakeHosts) {
  int turn = 0;
  for (Case c : some_cases()) {
    c.fake_ranks_per_host = turn++ % 3 + 1;
    if (!host_aware(GetParam()) && turn > 3) break;
    conform(GetParam(), c);
  }
}

TEST_P(Conformance, FakeHostsWithSmallCountLimit) {
  if (!host_aware(GetParam())) return;
  int turn = 0;
  for (Case c : some_cases()) {
    c.fake_ranks_per_host = turn++ % 2 + 2;
    c.count_limit = 5;
    conform_within(GetParam(), c);
  }
}

TEST_P(Conformance, LargeMessagesAndThreads) {
  const int p = world().size();
  Case c{"large slabs", Layout::slab({64, 48, 40}, p, 0), Layout::slab({64, 48, 40}, p, 1, {1, 2, 0})};
  c.element_bytes = 16;
  c.threads = 2;
  conform(GetParam(), c);
}

TEST_P(Conformance, TwoAlive) {
  const std::vector<Case> all = cases();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    SCOPED_TRACE(GetParam() + " on " + all[i].name + " with " + all[i + 1].name);
    Runner first(GetParam(), all[i]);
    Runner second(GetParam(), all[i + 1]);
    for (std::uint64_t run = 1; run <= 2; ++run) {
      first.start(run);
      second.start(run + 4);
      first.progress();
      if (run == 1) second.progress();
      if (run == 1) first.finish(run);
      second.finish(run + 4);
      if (run == 2) first.finish(run);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Conformance, testing::ValuesIn(test::plain_exchanges()),
                         [](const auto& strategy) { return strategy.param; });

TEST(Registry, UnknownNameIsRefusedOnAllRanks) {
  ExchangeSetup setup;
  setup.comm = world();
  test::expect_error(Status::invalid_argument, "alltoallv", [&] { make_exchange("pigeon", setup); });
}

TEST(Registry, BadScheduleOfOneRankIsRefusedOnAll) {
  ExchangeSetup setup;
  setup.comm = world();
  if (world().rank() == 0) setup.schedule.send.push_back({world().size(), 0, 0, {}});
  EXPECT_THROW(make_exchange("p2p", setup), Error);
}

}  // namespace
}  // namespace shardfft::kit
