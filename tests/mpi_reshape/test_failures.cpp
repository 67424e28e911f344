// An exchange that fails in one group of ranks fails on all: nobody goes on to the next collective call alone.
#include <gtest/gtest.h>

#include "exchange/strategies.hpp"
#include "reshape/reshape.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TEST(ReshapeFailures, AreAgreedBeyondTheGroup) {
  register_exchange("fails_with_rank_0", [](const ExchangeSetup& setup) {
    if (setup.comm.ranks_in(world()).front() == 0) fail(Status::unsupported, "not in this group");
    return make_p2p(setup);
  });
  const std::int64_t ranks = world().size(), columns = ranks % 2 == 0 ? 2 : ranks;  // pairs, or all
  const Shape shape{ranks, ranks, ranks}, grid{ranks / columns, columns};
  ReshapeSetup setup;
  setup.comm = world();
  setup.exchange = "fails_with_rank_0";
  try {
    const Reshape reshape(Layout::pencil(shape, grid, 2), Layout::pencil(shape, grid, 1), setup, nullptr);
    EXPECT_EQ(world().size(), 1) << "no failure on this rank";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::unsupported);
  }
  world().barrier();
}

}  // namespace
}  // namespace shardfft::test
