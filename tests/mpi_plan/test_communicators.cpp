// MPI libraries have only so many communicators: the exchanges of a plan share them, and plans give them back. Ranks
// wait for each other only so often while a plan is made.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>

#include "mpi/groups.hpp"
#include "support/meetings.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace {

/// Communicators that this program has made and not freed, and calls that make some.
int live = 0, makings = 0;

int counted(int code, const MPI_Comm* made) {
  ++makings;
  if (code == MPI_SUCCESS && *made != MPI_COMM_NULL) ++live;
  return code;
}

}  // namespace

// MPI's profiling interface: these take the place of the library's own.
extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) { return counted(PMPI_Comm_dup(comm, made), made); }
extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return counted(PMPI_Comm_split(comm, color, key, made), made);
}
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return counted(PMPI_Comm_split_type(comm, type, key, info, made), made);
}
extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  --live;
  return PMPI_Comm_free(comm);
}

namespace shardfft::test {
namespace {

/// Ranks that `part` puts together with this one.
std::vector<int> members(int (*part)(int)) {
  std::vector<int> with_me;
  for (int r = 0; r < world().size(); ++r)
    if (part(r) == part(world().rank())) with_me.push_back(r);
  return with_me;
}

int everyone(int) { return 0; }
int pairs(int rank) { return rank / 2; }
int one_pair(int rank) { return rank < 2 ? 0 : rank; }

TEST(Communicators, OneAGroup) {
  const Communicator& all = world();
  const int before = live;
  {
    Groups groups(all, {members(everyone), members(pairs), members(one_pair), members(pairs)}, {0, 1, 2, 1});
    EXPECT_LE(live - before, 2);
    EXPECT_EQ(groups.of(members(everyone)).get(), all.get());
    const Communicator pair = groups.of(members(pairs));
    EXPECT_EQ(pair.size(), static_cast<int>(members(pairs).size()));
    // The first two ranks have this one already, as a pair; the others do not.
    const Communicator known = groups.of(members(one_pair));
    EXPECT_EQ(known.size(), static_cast<int>(members(one_pair).size()));
    EXPECT_EQ(known.get() == pair.get(), members(one_pair) == members(pairs));
    EXPECT_EQ(groups.host_of(pair, 1).size(), 1);
    const int with_host = live;
    EXPECT_EQ(groups.host_of(pair, 1).get(), groups.host_of(pair, 1).get());
    EXPECT_EQ(live, with_host);
  }
  EXPECT_EQ(live, before);
}

/// Communicators of one plan, all of which it must give back.
int held_by(const std::string& algorithm, const std::string& exchange, int chunks) {
  TransformCase c{{8, 9, 10}, algorithm, "natural", Kind::c2c, Precision::f64, quick(algorithm)};
  c.options.exchange = exchange;
  c.options.chunks = chunks;
  c.options.fake_ranks_per_host = 2;
  world().barrier();             // made before the count
  make_plan(MPI_COMM_WORLD, c);  // the first plan leaves one with the user's communicator
  const int before = live;
  int held = 0;
  {
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    held = live - before;
    check_plan(plan, c);
  }
  EXPECT_EQ(live, before);
  return held;
}

TEST(Communicators, PlansHoldFew) {
  for (const std::string exchange : {"alltoallv", "p2p_pipelined"})
    for (const int chunks : {1, 4}) {
      EXPECT_EQ(held_by("slab", exchange, chunks), 1);
      EXPECT_LE(held_by("pencil", exchange, chunks), 4);
      EXPECT_LE(held_by("brick", exchange, chunks), 6);
    }
  for (const std::string algorithm : {"slab", "pencil"})
    EXPECT_EQ(held_by(algorithm, "hierarchical", 1), held_by(algorithm, "hierarchical", 4));
}

/// As many as the making of a pencil has, on CPUs: what it is made of, and whether all could plan. In a way that was
/// given, only the latter. Besides, communicators are made: one of the plan's own, and by messages one of each group of
/// ranks that exchange.
TEST(Meetings, OfAPlan) {
  if (world().size() != 4) return;
  for (const std::string exchange : {"auto", "p2p"}) {
    SCOPED_TRACE(exchange);
    Options o = quick("pencil");
    o.exchange = exchange;
    std::string way;
    const auto making = [&] {
      const int before = meetings(), made = makings;
      Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::pencil({16, 12, 10}, {2, 2}), default_output, o);
      const std::pair cost(meetings() - before, makings - made);
      way = plan.report().way;
      return cost;
    };
    making();  // with what ranks tell each other once a program
    // One of many plans also makes the memory that those after it share.
    const auto least = [&] { return std::min(making(), making()); };
    const int communicators = exchange == "auto" ? 1 : 3;
    EXPECT_EQ(least(), std::pair(2, communicators));
    o = quick();
    o.way = way;
    EXPECT_EQ(least(), std::pair(1, communicators)) << "in a way that was given";
  }
}

/// Errors of one rank, and arguments that differ, are those of all ranks.
TEST(Meetings, FailuresInAGivenWay) {
  if (world().size() != 4) return;
  Options o = quick("pencil");
  const auto make = [&o] {
    return Plan(MPI_COMM_WORLD, c2c<double>, Layout::pencil({16, 12, 10}, {2, 2}), default_output, o);
  };
  const std::string way = make().report().way;
  o = quick();
  o.way = way;
  const auto expect = [&](Status status, const std::string& words) {
    try {
      make();
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), status) << e.what();
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  const bool last = world().rank() == world().size() - 1;
  o.batch = last ? 2 : 1;
  expect(Status::mismatch, "different values of option batch");
  o.batch = 1;
  o.local_fft = last ? "bogus" : "auto";
  expect(Status::invalid_argument, "bogus");
  o.local_fft = "auto";
  o.threads = last ? 1 << 20 : 1;
  expect(Status::invalid_argument, "threads");
  o.threads = 1;
  EXPECT_EQ(make().report().way, way);
}

/// A failure that a group agreed on and that then passes through a larger one.
TEST(Communicators, FailuresNameOneRank) {
  const int last = world().size() - 1;
  const auto fails = [&] { require(world().rank() != last, "out of luck"); };
  try {
    agree(world(), [&] { agree(world(), fails); });
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), "out of luck [rank " + std::to_string(last) + "]");
  }
}

}  // namespace
}  // namespace shardfft::test
