// The least of numbers over all ranks, by messages and in shared memory: many meetings, ranks that come late.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "mpi/message_meeting.hpp"
#include "mpi/shared_meeting.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The words of `rank` in meeting `number`: every rank knows them.
Meeting::Words words_of(int number, int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number * 1000 + rank));
  Meeting::Words words;
  for (std::int64_t& word : words) word = static_cast<std::int64_t>(random() % 1000) - 500;
  return words;
}

Meeting::Words least(int number) {
  Meeting::Words words = words_of(number, 0);
  for (int rank = 1; rank < world().size(); ++rank)
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::min(words[i], words_of(number, rank)[i]);
  return words;
}

void meet(Meeting& meeting, int number) {
  meeting.begin(words_of(number, world().rank()));
  while (!meeting.done()) std::this_thread::yield();
  ASSERT_EQ(meeting.result(), least(number)) << "meeting " << number;
}

void check(Meeting& meeting) {
  for (int number = 0; number < 300; ++number) meet(meeting, number);
  for (int number = 300; number < 310; ++number) {
    if (world().rank() == number % world().size()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    meet(meeting, number);
  }
}

TEST(Meetings, ByMessages) {
  MessageMeeting meeting(world(), MessageMeeting::Kind::calls);
  check(meeting);
}

TEST(Meetings, InSharedMemory) {
  HostMemory host(world(), 0);
  SharedMeeting meeting(host);
  check(meeting);
}

TEST(Meetings, NobodyIsDoneBeforeTheLastOneHasBegun) {
  HostMemory host(world(), 0);
  SharedMeeting meeting(host);
  meeting.begin({1, 2, 3});
  while (!meeting.done()) std::this_thread::yield();
  const bool last = world().rank() == world().size() - 1;
  if (!last) {
    meeting.begin({4, 5, 6});
    EXPECT_FALSE(meeting.done()) << "the last rank has not begun";
  }
  world().barrier();
  if (last) meeting.begin({4, 5, 6});
  while (!meeting.done()) std::this_thread::yield();
  EXPECT_EQ(meeting.result(), (Meeting::Words{4, 5, 6}));
}

}  // namespace
}  // namespace shardfft::test
