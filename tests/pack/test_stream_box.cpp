// Copies past the cache: runs of every length and alignment, and boxes of any shape, which may have no long runs.
#include <chrono>

#include "box_check.hpp"
#include "pack/pack.hpp"

namespace shardfft::kit {
namespace {

void check(const Trial& t, std::size_t bytes, std::size_t shift) {
  check_copy(t, bytes, shift, [&](const std::byte* source, std::byte* destination) {
    stream_box(source, t.from, destination, t.to, bytes);
  });
}

/// Three rows each, with gaps between them on both sides.
TEST(StreamBox, RunsOfEveryLengthAndAlignment) {
  for (const std::size_t bytes : {4, 8, 16})
    for (std::int64_t run = 1; run * static_cast<std::int64_t>(bytes) <= 400 && !HasFatalFailure(); ++run)
      for (std::size_t shift = 0; shift < 64 && !HasFatalFailure(); shift += bytes) {
        const Trial rows{{2, 1, {3, run}, {run + 2, 1}}, {2, 2, {3, run}, {run + 5, 1}}, 3 * run + 7, 3 * run + 15};
        check(rows, bytes, shift);
      }
}

TEST(StreamBox, RandomBoxes) {
  const auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int trial = 0; trial < 600 && !HasFatalFailure(); ++trial) {
    std::vector<std::int64_t> counts = {pick(random, 1, 6), pick(random, 1, 6), pick(random, 1, 150)};
    if (trial % 3 == 0) counts.insert(counts.begin(), pick(random, 1, 4));
    // Rows that are the fastest axis on both sides, of one side only, or of none.
    const bool any_order = trial % 2 == 0;
    Trial t;
    t.from = place(random, counts, any_order, trial % 5 == 0, true, t.from_extent);
    t.to = place(random, counts, any_order, trial % 7 == 0, true, t.to_extent);
    for (const std::size_t bytes : {4, 8, 16}) check(t, bytes, bytes * static_cast<std::size_t>(pick(random, 0, 15)));
  }
}

TEST(StreamBox, EmptyAndSingle) {
  check({{2, 0, {0, 100}, {100, 1}}, {2, 0, {0, 100}, {100, 1}}, 100, 100}, 8, 8);
  check({{0, 2, {}, {}}, {0, 1, {}, {}}, 4, 4}, 16, 0);
}

}  // namespace
}  // namespace shardfft::kit
