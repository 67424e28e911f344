// Exchanges post a send before the receive that goes with it (docs/exchanges.md). The functions of MPI that follow
// stand in the place of MPI's in this program, count what is posted, and call them.
#include <gtest/gtest.h>

#include <algorithm>

#include "kit.hpp"

namespace shardfft::kit {
namespace {

/// What exchanges post to and from ranks of other hosts.
struct Posted {
  int ranks_per_host = 1;
  int sends = 0;
  int receives = 0;
  int most_ahead = 0;  ///< receives before the sends that go with them

  void count(int peer, int& of_a_kind) {
    if (peer / ranks_per_host == world().rank() / ranks_per_host) return;
    ++of_a_kind;
    most_ahead = std::max(most_ahead, receives - sends);
  }
};

Posted& posted() {
  static Posted counts;
  return counts;
}

/// Every rank gives every other a block that is no run of its array, and gets such a one.
Case all_to_all(int ranks_per_host) {
  const int ranks = world().size();
  const Shape shape{3, 2 * ranks, 2 * ranks};
  Case c{"all to all", Layout::slab(shape, ranks, 1), Layout::slab(shape, ranks, 2)};
  c.fake_ranks_per_host = ranks_per_host;
  return c;
}

void sends_come_first(const std::string& strategy, int ranks_per_host) {
  SCOPED_TRACE(strategy + ", ranks per host " + std::to_string(ranks_per_host));
  Runner runner(strategy, all_to_all(ranks_per_host));
  posted() = {ranks_per_host};
  runner.start(1);
  runner.progress();
  runner.finish(1);
  EXPECT_EQ(posted().sends, posted().receives);
  EXPECT_EQ(posted().most_ahead, 0);
  // Otherwise nothing was seen.
  const bool leads = world().rank() % ranks_per_host == 0;
  EXPECT_EQ(posted().sends > 0, world().size() > ranks_per_host && (leads || strategy != "hierarchical"));
}

TEST(PostOrderTest, EveryReceiveFollowsItsSend) {
  for (const char* strategy : {"p2p", "p2p_pipelined", "ring"}) sends_come_first(strategy, 1);
}

TEST(PostOrderTest, LeadersToo) {
  for (const int ranks_per_host : {1, 2}) sends_come_first("hierarchical", ranks_per_host);
}

}  // namespace
}  // namespace shardfft::kit

extern "C" {
int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  auto& seen = shardfft::kit::posted();
  seen.count(peer, seen.sends);
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  auto& seen = shardfft::kit::posted();
  seen.count(peer, seen.receives);
  return PMPI_Irecv(data, n, type, peer, tag, comm, request);
}
}
