// Reading other processes' arrays: the probe, random boxes, more runs than one call takes.
#include <gtest/gtest.h>

#include <cstring>

#include "exec/cross_read.hpp"
#include "pack/random_boxes.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

struct Neighbour {
  int rank;
  std::uint64_t address;
};

/// The next rank's array. Collective.
Neighbour next_array(const void* mine) {
  const auto all = world().all_gather(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(mine)));
  const int next = (world().rank() + 1) % world().size();
  return {next, static_cast<std::uint64_t>(all[static_cast<std::size_t>(next)])};
}

std::vector<std::byte> numbered(std::size_t bytes, int rank) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 7 + i / 251 + 31 * static_cast<std::size_t>(rank)) % 256);
  return data;
}

/// The test is empty where the kernel forbids it; then all ranks leave together.
#define NEEDS_CROSS_MEMORY(memory) \
  if (!(memory).allowed()) GTEST_SKIP() << "the kernel does not let processes read each other's memory"

TEST(CrossMemory, MoreRunsThanOneCallTakes) {
  const CrossMemory memory(world());
  NEEDS_CROSS_MEMORY(memory);
  const auto mine = numbered(30000, world().rank());
  const Neighbour next = next_array(mine.data());
  const auto theirs = numbered(30000, next.rank);
  std::vector<std::byte> got(30000, std::byte{0});
  std::vector<CrossRun> runs;
  for (std::size_t at = 0; at + 7 <= got.size(); at += 10) runs.push_back({next.address + at, got.data() + at, 7});
  memory.read(next.rank, runs);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i % 10 < 7 ? theirs[i] : std::byte{0}) << i;
  world().barrier();
}

TEST(CrossMemory, RandomBoxes) {
  const CrossMemory memory(world());
  NEEDS_CROSS_MEMORY(memory);
  kit::Random random(20261121);  // the same on all ranks
  std::vector<std::byte> scratch(cross_read_bytes());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(kit::pick(random, 0, 4)));
    for (auto& c : counts) c = kit::pick(random, 1, 12);
    std::int64_t from_extent = 0;
    std::int64_t to_extent = 0;
    LocalCopy copy;
    copy.from = kit::place(random, counts, true, true, round % 2 == 0, from_extent);
    copy.to = kit::place(random, counts, round % 3 > 0, true, round % 2 == 0, to_extent);
    const std::size_t element = std::size_t{4} << (round % 3);
    const auto mine = numbered(static_cast<std::size_t>(from_extent) * element, world().rank());
    const Neighbour next = next_array(mine.data());
    const auto theirs = numbered(mine.size(), next.rank);
    std::vector<std::byte> got(static_cast<std::size_t>(to_extent) * element, std::byte{0xEE});
    std::vector<std::byte> expected = got;
    for (std::int64_t i = 0; i < copy.from.elements(); ++i)
      std::memcpy(expected.data() + static_cast<std::size_t>(kit::offset_of(copy.to, i)) * element,
                  theirs.data() + static_cast<std::size_t>(kit::offset_of(copy.from, i)) * element, element);
    read_box(memory, next.rank, next.address, copy, got.data(), element, scratch.data());
    ASSERT_FALSE(any_rank(got != expected)) << "round " << round;
    EXPECT_EQ(cross_cost(copy, element).bytes, copy.from.elements() * static_cast<std::int64_t>(element));
    world().barrier();
  }
}

/// Larger than the buffer that turned boxes come through.
TEST(CrossMemory, LargeTurnedBox) {
  const CrossMemory memory(world());
  NEEDS_CROSS_MEMORY(memory);
  constexpr std::int64_t rows = 300;
  constexpr std::int64_t columns = 257;
  const auto mine = numbered(rows * columns * 16, world().rank());
  const Neighbour next = next_array(mine.data());
  const auto theirs = numbered(mine.size(), next.rank);
  LocalCopy copy;
  copy.from.axes = copy.to.axes = 2;
  copy.from.count = copy.to.count = {rows, columns};
  copy.from.stride = {columns, 1};
  copy.to.stride = {1, rows};
  std::vector<std::byte> got(mine.size());
  std::vector<std::byte> scratch(cross_read_bytes());
  read_box(memory, next.rank, next.address, copy, got.data(), 16, scratch.data());
  bool same = true;
  for (std::int64_t i = 0; i < rows && same; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      same = same && std::memcmp(got.data() + 16 * (j * rows + i), theirs.data() + 16 * (i * columns + j), 16) == 0;
  EXPECT_TRUE(same);
  EXPECT_EQ(cross_cost(copy, 16).runs, rows);
  world().barrier();
}

TEST(CrossMemory, SaysWhatCannotBeLent) {
  const CrossMemory memory(world());
  NEEDS_CROSS_MEMORY(memory);
  const std::vector<std::byte> data(100);
  EXPECT_TRUE(memory.lendable(data.data(), data.size()));
  EXPECT_TRUE(memory.lendable(nullptr, 0));
  EXPECT_FALSE(memory.lendable(reinterpret_cast<const std::byte*>(std::uintptr_t{64}), 10));
  std::vector<std::byte> to(1);
  EXPECT_THROW(memory.read(world().rank(), {{64, to.data(), 1}}), Error);
}

}  // namespace
}  // namespace shardfft::test
