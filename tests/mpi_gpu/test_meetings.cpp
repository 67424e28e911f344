// What plans of several processes cost on the host: meetings, trials, events of others.
#include <gtest/gtest.h>
#include <mpi.h>

#include "gpu/team.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/meetings.hpp"
#include "support/world.hpp"

namespace {

/// Calls of this program so far.
int rounds = 0;
int trials = 0;

}  // namespace

// MPI's profiling interface: these take the place of the library's own.
/// Meetings of the library's own begin with a pair of messages, sent and received; others follow in as many rounds as
/// the ranks need.
extern "C" int MPI_Startall(int count, MPI_Request requests[]) {
  ++rounds;
  return PMPI_Startall(count, requests);
}
extern "C" int MPI_Sendrecv(const void* from, int sent, MPI_Datatype type, int to_rank, int tag, void* to, int received,
                            MPI_Datatype to_type, int from_rank, int from_tag, MPI_Comm comm, MPI_Status* status) {
  ++trials;
  return PMPI_Sendrecv(from, sent, type, to_rank, tag, to, received, to_type, from_rank, from_tag, comm, status);
}

namespace shardfft::test {
namespace {

/// Meetings of a forward run once the plan knows its arrays, and the exchanges of its program.
struct Cost {
  int meetings = 0, exchanges = 0;
};

Cost cost_of(const std::string& exchange, const std::string& memory, bool in_place) {
  Options o = on_gpu("pencil");
  o.exchange = exchange;
  o.check_calls = false;
  o.in_place = in_place;
  const Layout layout = Layout::pencil({8, 12, 10}, process_grid(world().size(), 2));
  Plan plan(MPI_COMM_WORLD, c2c<double>, layout, default_output, o);
  const PlacedArray in(memory, my_device(), std::max(plan.input().bytes(), plan.output().bytes()));
  const PlacedArray out(memory, my_device(), plan.output().bytes());
  void* const target = in_place ? in.data() : out.data();
  plan.forward(in.data(), target);
  Cost cost;
  const int before = meetings(), rounds_before = rounds;
  plan.forward(in.data(), target);
  int rounds_a_meeting = 0;
  while (1 << rounds_a_meeting < world().size()) ++rounds_a_meeting;
  cost.meetings = meetings() - before + (rounds - rounds_before) / std::max(rounds_a_meeting, 1);
  for (const PlanReport::Step& step : plan.report().forward.steps) cost.exchanges += step.bytes_sent > 0 ? 1 : 0;
  return cost;
}

TEST(Meetings, MessagesNeedNone) {
  for (const std::string exchange : {"host_staged", "mpi_device"})
    for (const std::string memory : {"device", "host"}) {
      SCOPED_TRACE(exchange + ", " + memory);
      try {
        EXPECT_EQ(cost_of(exchange, memory, false).meetings, 0);
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), Status::unsupported) << e.what();
      }
    }
}

TEST(Meetings, PeersMeetOnceACallAndOnceAnExchange) {
  const Cost apart = cost_of("cuda_peer", "device", false);
  if (world().size() == 1) {
    EXPECT_EQ(apart.meetings, 0);
    return;
  }
  EXPECT_GE(apart.exchanges, 1);
  EXPECT_EQ(apart.meetings, 1 + apart.exchanges);
  const Cost in_place = cost_of("cuda_peer", "device", true);
  EXPECT_EQ(in_place.meetings, 1 + 2 * in_place.exchanges) << "nobody may write into what is still read";
}

TEST(Meetings, DeviceMessagesAreTriedOnceAPlan) {
  Options o = on_gpu("pencil");
  o.exchange = "mpi_device";
  const int before = trials;
  try {
    Plan(MPI_COMM_WORLD, c2c<double>, Layout::brick({8, 12, 10}, process_grid(world().size(), 3)), natural_output, o);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::unsupported) << e.what();
  }
  EXPECT_LE(trials - before, 2) << "a short message and a long one";
}

/// Of making a plan, without what ranks tell each other once a program.
int meetings_to_make(const Options& o) {
  int before = 0;
  for (int turn = 0; turn < 2; ++turn) {
    before = meetings();
    const Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({48, 48, 48}, world().size()), default_output, o);
  }
  return meetings() - before;
}

/// Of a slab in chunks by rule, from GPU to GPU.
Options in_chunks() {
  Options o = on_gpu("slab");
  o.exchange = "cuda_peer";
  o.chunks = 4;
  return o;
}

TEST(Meetings, OfAPlanInChunks) {
  if (world().size() != 2) return;
  EXPECT_LE(meetings_to_make(in_chunks()), 35);
}

TEST(Meetings, OfAPlanInAGivenWay) {
  if (world().size() != 2) return;
  Options o = in_chunks();
  const int ruled = meetings_to_make(o);
  o.way = Plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({48, 48, 48}, 2), default_output, o).report().way;
  EXPECT_LE(meetings_to_make(o), ruled);
}

TEST(Meetings, EventsOfPartnersOnly) {
  gpu::Team team(world(), my_device());
  if (team.all_here()) return;
  const int p = world().size(), next = (world().rank() + 1) % p;
  const device::DeviceScope scope(my_device());
  const device::Event event = device::make_event(team.event_use());
  const auto all = team.share_events({{event.get(), nullptr}}, {next});
  for (int r = 0; r < p; ++r) {
    const auto& theirs = all[to_size(r)];
    if (r != next && r != world().rank()) {
      EXPECT_TRUE(theirs.empty()) << "events of rank " << r << " are open";
      continue;
    }
    ASSERT_EQ(theirs.size(), 2u);
    EXPECT_NE(theirs[0], nullptr);
    EXPECT_EQ(theirs[1], nullptr);
  }
  world().barrier();
}

}  // namespace
}  // namespace shardfft::test
