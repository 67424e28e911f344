// The protocols by which the processes of a host share memory without locks, run by threads: there ThreadSanitizer
// (.ci/run threads) sees whether each shared word orders what lies beside it. What it cannot see is listed in
// docs/design.md.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "base/aligned.hpp"
#include "mpi/shared_desks.hpp"

namespace shardfft::test {
namespace {

constexpr int ranks = 4, rounds = 300;

/// Memory of each rank, zero as the kernel's is.
struct SharedMemory {
  explicit SharedMemory(std::size_t bytes_each) {
    memory = std::shared_ptr<std::byte>(allocate_aligned(ranks * bytes_each));
    std::memset(memory.get(), 0, ranks * bytes_each);
    for (std::size_t rank = 0; rank < ranks; ++rank) segments.push_back(memory.get() + rank * bytes_each);
  }
  std::shared_ptr<std::byte> memory;
  std::vector<std::byte*> segments;
};

void run_ranks(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(work, rank);
  for (std::thread& thread : threads) thread.join();
}

TEST(MemoryOrder, DesksAreReadBeforeTheyAreLaidDownAgain) {
  using Desks = SharedDesks<std::array<int, 3>>;
  const SharedMemory shared(Desks::bytes_each);
  run_ranks([&](int rank) {
    Desks desks(rank, shared.segments, shared.memory);
    for (int round = 1; round <= rounds; ++round) {
      desks.lay_down({rank, round, rank * round});
      for (int other = 0; other < ranks; ++other) {
        const std::array<int, 3>* words = nullptr;
        wait_until(nullptr, [&] { return (words = desks.of(other)) != nullptr; });
        ASSERT_EQ(*words, (std::array{other, round, other * round}));
      }
    }
  });
}

/// Arrays that are not guarded by anything but the turns, and these; use(arrays, turns, rank, round).
template <class Use>
void take_turns(const Use& use) {
  const SharedMemory counters(TurnCounter::bytes_each);
  std::array<std::array<int, ranks>, ranks> arrays{};
  run_ranks([&](int rank) {
    TurnCounter turns(counters.memory, counters.segments[static_cast<std::size_t>(rank)], counters.segments, nullptr);
    for (int round = 1; round <= rounds; ++round) use(arrays, turns, static_cast<std::size_t>(rank), round);
  });
}

TEST(MemoryOrder, ArraysAreReadBetweenPublishAndFinish) {
  take_turns([](auto& arrays, TurnCounter& turns, std::size_t rank, int round) {
    arrays[rank].fill(static_cast<int>(rank) + round);
    turns.publish({round, static_cast<std::int64_t>(rank)});
    turns.wait_published();
    for (std::size_t other = 0; other < ranks; ++other) {
      const HostAddress address = turns.address(other);
      ASSERT_EQ(address.window, round);
      ASSERT_EQ(address.offset, static_cast<std::int64_t>(other));
      for (const int number : arrays[other]) ASSERT_EQ(number, static_cast<int>(other) + round);
    }
    turns.finish();
    turns.wait_finished();
  });
}

TEST(MemoryOrder, ArraysAreWrittenByOthersBetweenPublishAndFinish) {
  take_turns([](auto& arrays, TurnCounter& turns, std::size_t rank, int round) {
    arrays[rank].fill(0);
    turns.publish({});
    turns.wait_published();
    for (std::size_t other = 0; other < ranks; ++other) arrays[other][rank] = round;
    turns.finish();
    turns.wait_finished();
    for (const int number : arrays[rank]) ASSERT_EQ(number, round);
  });
}

}  // namespace
}  // namespace shardfft::test
