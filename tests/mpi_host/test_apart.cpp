// Ranks that may be in containers of their own (apart.sh): what they find of each other is proved before it is used.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "mpi/cross_memory.hpp"
#include "mpi/host_window.hpp"
#include "mpi/offers.hpp"
#include "support/apart.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TransformCase small(const std::string& exchange, bool verify = false) {
  TransformCase c{{12, 10, 8}};
  c.options.effort = Effort::estimate;
  c.options.exchange = exchange;
  c.options.verify = verify;
  return c;
}

TEST(Apart, WhoFindsWhoseMemory) {
  const HostMemory host(world(), 0);
  const bool all = processes_apart() ? world().size() == 1 : true;
  EXPECT_EQ(host.apart().empty(), all) << host.apart();
  if (all) {
    EXPECT_EQ(host.host().size(), world().size());
  } else {
    const bool pair = some_apart() && world().rank() < 2;
    EXPECT_EQ(host.host().size(), pair ? 2 : 1);
    EXPECT_NE(host.apart().find("cannot share memory"), std::string::npos) << host.apart();
    EXPECT_FALSE(CrossMemory(world()).allowed());
  }
}

TEST(Apart, AutoFallsBackToMessages) {
  for (const bool verify : {false, true}) {
    const TransformCase c = small("auto", verify);
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    check_plan(plan, c);
    std::string why;
    for (const auto& choice : plan.report().choices)
      if (choice.what == "exchange") why = choice.chosen + ": " + choice.why;
    if (world().size() == 1) continue;
    if (processes_apart() && !some_apart()) {
      EXPECT_EQ(why.rfind("alltoallv: the ranks of this host cannot share memory", 0), 0u) << why;
    } else if (!processes_apart()) {
      EXPECT_EQ(why.rfind("shared_window", 0), 0u) << why;
    }
  }
}

TEST(Apart, ReadingThatWasAskedForIsRefused) {
  if (!processes_apart() || world().size() == 1) GTEST_SKIP() << "these ranks find each other's memory";
  expect_error(Status::unsupported, "cannot share memory", [] { make_plan(MPI_COMM_WORLD, small("shared_window")); });
}

TEST(Apart, WrongArgumentsOfOneRankAreAgreedOn) {
  for (const char* exchange : {"alltoallv", "auto"}) {
    const OwnComm comm;
    const TransformCase c = small(exchange);
    Plan plan = make_plan(comm.comm, c);
    std::vector<std::byte> in(plan.input().bytes()), out(plan.output().bytes());
    const bool wrong = world().rank() == world().size() - 1;
    expect_error(Status::invalid_argument, "null", [&] { plan.forward(wrong ? nullptr : in.data(), out.data()); });
    check_plan(plan, c);
  }
}

/// What a ticket leads to here, as another process would follow it.
Found follow(const FileTicket& ticket) { return OfferedFile(ticket, false).found(); }

TEST(Proof, TellsFilesThatAreNamedAlike) {
  std::optional<MemoryFile> file(std::in_place, 100, draw_proof(0));
  FileTicket ticket = file->ticket();
  ticket.process = std::stoi(std::filesystem::read_symlink("/proc/self").string());
  EXPECT_EQ(follow(ticket), Found::itself);
  FileTicket forged = ticket;
  forged.proof.word ^= 1;
  EXPECT_EQ(follow(forged), Found::other);
  forged = ticket;
  forged.proof.owner += 1;
  EXPECT_EQ(follow(forged), Found::other);
  forged = ticket;
  forged.bytes = 100000;
  EXPECT_EQ(follow(forged), Found::other) << "the proof is elsewhere";
  file.reset();
  EXPECT_EQ(follow(ticket), Found::nothing);
  const int strange = open("/dev/null", O_RDWR);
  ticket.descriptor = strange;
  EXPECT_EQ(follow(ticket), Found::other);
  close(strange);
}

TEST(Proof, IsDrawnAnewForEachOffer) {
  EXPECT_NE(draw_proof(0), draw_proof(0));
  EXPECT_EQ(process_word(), process_word());
  const auto words = gather_bytes(world(), process_word());
  EXPECT_EQ(std::count(words.begin(), words.end(), process_word()), 1);
}

TEST(Proof, WhoIsNotFoundByOneIsNotFoundAtAll) {
  const int last = world().size() - 1;
  const auto found = look_at_offers(world(), world().rank(), [&](int rank, int offer) {
    EXPECT_EQ(offer, rank);
    return world().rank() == 0 && rank == last ? Found::other : Found::itself;
  });
  for (int rank = 0; rank <= last; ++rank) {
    const bool pair = (world().rank() == 0 && rank == last) || (world().rank() == last && rank == 0);
    EXPECT_EQ(found[static_cast<std::size_t>(rank)] == Found::other, pair) << rank;
  }
}

}  // namespace
}  // namespace shardfft::test
