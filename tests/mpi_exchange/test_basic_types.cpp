// Exchanges that give MPI no derived datatypes: the same data arrives, and no datatype is made.
#include "kit.hpp"
#include "layouts.hpp"
#include "support/world.hpp"

namespace {
int committed = 0;
}  // namespace

/// In the place of MPI's own, which it calls.
extern "C" int MPI_Type_commit(MPI_Datatype* type) {
  ++committed;
  return PMPI_Type_commit(type);
}

namespace shardfft::kit {
namespace {

class BasicTypes : public testing::TestWithParam<std::string> {};

TEST_P(BasicTypes, DeliverTheSame) {
  committed = 0;
  int turn = 0;
  for (Case c : some_cases()) {
    c.basic_types = true;
    c.fake_ranks_per_host = turn++ % 4;  // 0: as it is
    conform(GetParam(), c);
  }
  EXPECT_EQ(committed, 0);
}

TEST_P(BasicTypes, BlocksThatCannotBeCountedAreSentInPartsOrRefused) {
  const std::string& name = GetParam();
  Case c{"long blocks", Layout::slab({12, 12, 4}, world().size(), 0), Layout::slab({12, 12, 4}, world().size(), 1)};
  c.basic_types = true;
  c.count_limit = 5;
  c.fake_ranks_per_host = 2;
  committed = 0;
  const bool collective = name.starts_with("alltoall") || (name == "p2p_alltoall" && world().size() > 2);
  if (collective && world().size() > 1)
    test::expect_error(Status::unsupported, "datatypes = basic", [&] { Runner(name, c); });
  else
    conform(name, c);
  EXPECT_EQ(committed, 0);
}

INSTANTIATE_TEST_SUITE_P(Strategies, BasicTypes, testing::ValuesIn(test::plain_exchanges()),
                         [](const auto& strategy) { return strategy.param; });

/// What the count above would miss.
TEST(DerivedTypes, AreMade) {
  committed = 0;
  Case c{"slabs", Layout::slab({8, 8, 4}, world().size(), 0),
         Layout::slab({8, 8, 4}, world().size(), 1)};  // for 8 ranks too
  conform("alltoallw", c);
  EXPECT_EQ(committed > 0, world().size() > 1);
}

}  // namespace
}  // namespace shardfft::kit
