// Copies through the cache, packing and unpacking.
#include <chrono>

#include "base/check.hpp"
#include "box_check.hpp"
#include "pack/loop_nest.hpp"
#include "pack/pack.hpp"

namespace shardfft::kit {
namespace {

/// The destination begins at an odd address.
void check(const Trial& t, std::size_t bytes, int threads) {
  SCOPED_TRACE("threads " + std::to_string(threads));
  check_copy(t, bytes, 1, [&](const std::byte* source, std::byte* destination) {
    copy_box(source, t.from, destination, t.to, bytes, threads);
  });
}

Trial random_trial(Random& random, std::int64_t largest, int most_axes) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(pick(random, 0, most_axes)));
  for (std::int64_t& c : counts) c = pick(random, 0, 3) == 0 ? 1 : pick(random, 1, largest);
  Trial t;
  t.from =
      place(random, counts, pick(random, 0, 1) == 1, pick(random, 0, 1) == 1, pick(random, 0, 1) == 1, t.from_extent);
  t.to = place(random, counts, pick(random, 0, 1) == 1, pick(random, 0, 1) == 1, pick(random, 0, 1) == 1, t.to_extent);
  return t;
}

TEST(CopyBox, RandomBoxes) {
  const auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int trial = 0; trial < 3000 && !HasFatalFailure(); ++trial) {
    const Trial t = random_trial(random, trial % 10 == 0 ? 20 : 6, 5);
    for (const std::size_t bytes : {4, 8, 16}) check(t, bytes, 1);
  }
}

TEST(CopyBox, LargeTransposesAndThreads) {
  const auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int trial = 0; trial < 60 && !HasFatalFailure(); ++trial) {
    const std::vector<std::int64_t> counts = {pick(random, 1, 150), pick(random, 1, 150), pick(random, 1, 9)};
    Trial t;
    t.from = place(random, counts, true, trial % 3 == 0, true, t.from_extent);
    t.to = place(random, counts, true, trial % 4 == 0, true, t.to_extent);
    for (const std::size_t bytes : {4, 8, 16})
      for (const int threads : {1, 2, 5}) check(t, bytes, threads);
  }
}

TEST(CopyBox, WholeSquaresOfEveryElementSize) {
  for (const std::int64_t n : {1, 2, 3, 4, 8, 16, 17, 32, 33, 64, 65, 128}) {
    Trial t{{2, 0, {n, 2 * n}, {2 * n, 1}}, {2, 0, {n, 2 * n}, {1, n}}, 2 * n * n, 2 * n * n};
    for (const std::size_t bytes : {4, 8, 16}) check(t, bytes, 1);
  }
}

TEST(CopyBox, EmptyAndSingle) {
  Trial empty{{1, 0, {0}, {1}}, {1, 0, {0}, {3}}, 4, 4};
  check(empty, 8, 2);
  Trial single{{0, 2, {}, {}}, {0, 1, {}, {}}, 4, 4};
  check(single, 16, 2);
}

TEST(CopyBox, ElementSizesItDoesNotKnow) {
  std::byte memory[64] = {};
  const Box one{0, 0, {}, {}};
  EXPECT_THROW(copy_box(memory, one, memory + 32, one, 3), Error);
}

TEST(CopyBox, BoxesThatDoNotBelongTogether) {
  const Box six{2, 0, {2, 3}, {10, 1}};
  const Box five{1, 0, {5}, {1}};
  const Box crossed{2, 0, {3, 2}, {10, 1}};
  EXPECT_THROW(common_refinement(six, five), Error);
  EXPECT_THROW(common_refinement(six, crossed), Error);
}

TEST(LoopNest, MergesWhatBothSidesAllow) {
  const Box split{3, 0, {4, 5, 6}, {30, 6, 1}};
  const Box merged{1, 7, {120}, {1}};
  const LoopNest nest = common_refinement(split, merged);
  EXPECT_EQ(nest.depth, 1);
  EXPECT_EQ(nest.loop[0].count, 120);
  EXPECT_EQ(nest.elements(), 120);
  EXPECT_EQ(nest.to_offset, 7);
}

TEST(Pack, MessagesOfSeveralBoxes) {
  const auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int trial = 0; trial < 200; ++trial) {
    Message message;
    message.offset = pick(random, 0, 9);
    std::int64_t extent = 0;
    for (std::int64_t boxes = pick(random, 0, 4); boxes > 0; --boxes) {
      std::int64_t more = 0;
      Box box = place(random, {pick(random, 1, 6), pick(random, 1, 6), pick(random, 1, 6)}, true, true, true, more);
      box.offset += extent;  // boxes of one message do not overlap
      extent += more;
      message.count += box.elements();
      message.boxes.push_back(box);
    }
    for (const std::size_t bytes : {4, 8, 16}) {
      const auto size = static_cast<std::int64_t>(bytes);
      const auto source = numbered(extent, bytes);
      std::vector<std::byte> packed(static_cast<std::size_t>(message.offset + message.count) * bytes, poison);
      std::vector<std::byte> wanted = packed;
      std::int64_t next = message.offset;
      for (const Box& box : message.boxes)
        for (std::int64_t i = 0; i < box.elements(); ++i)
          std::memcpy(wanted.data() + next++ * size, source.data() + offset_of(box, i) * size, bytes);
      pack_boxes(source.data(), message.boxes, packed.data() + message.offset * size, bytes);
      ASSERT_TRUE(packed == wanted);
      std::vector<std::byte> back(source.size(), poison);
      std::vector<std::byte> expected = back;
      for (const Box& box : message.boxes)
        for (std::int64_t i = 0; i < box.elements(); ++i)
          std::memcpy(expected.data() + offset_of(box, i) * size, source.data() + offset_of(box, i) * size, bytes);
      unpack_boxes(packed.data() + message.offset * size, message.boxes, back.data(), bytes);
      ASSERT_TRUE(back == expected);
    }
  }
}

}  // namespace
}  // namespace shardfft::kit
