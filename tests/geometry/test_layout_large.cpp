// Arrays nobody can allocate here: counts, overlaps and schedules beyond 2^31 and 2^40 elements.
#include <gtest/gtest.h>

#include "schedule_check.hpp"
#include "shardfft/layout.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t giga = std::int64_t{1} << 30;

TEST(LayoutLarge, CountsFit64Bits) {
  const Layout cube = Layout::slab({16384, 16384, 16384}, 3);
  EXPECT_EQ(cube.count(0), std::int64_t{5462} * 16384 * 16384);
  EXPECT_EQ(cube.count(0) + cube.count(1) + cube.count(2), std::int64_t{1} << 42);
  EXPECT_EQ(cube.max_count(), cube.count(0));
  EXPECT_EQ(cube.pieces(1).front().stride[0], std::int64_t{16384} * 16384);
  EXPECT_NO_THROW(cube.validate());
  const Layout line = Layout::cyclic({(std::int64_t{1} << 45) + 3}, {7});
  std::int64_t sum = 0;
  for (int r = 0; r < 7; ++r) sum += line.count(r);
  EXPECT_EQ(sum, (std::int64_t{1} << 45) + 3);
  EXPECT_NO_THROW(line.validate());
  EXPECT_EQ(Layout::single({8 * giga, 4}, 2, 1).count(1), 32 * giga);
}

TEST(LayoutLarge, SchedulesBalance) {
  const Shape shape{4096, 8192, 16384};  // 2^39
  const Shape long_line{5 * giga + 7};
  for (int ranks : {2, 3, 8}) {
    check_balance(Layout::slab(shape, ranks, 0), Layout::slab(shape, ranks, 1));
    check_balance(Layout::brick(shape, process_grid(ranks, 3)), Layout::pencil(shape, process_grid(ranks, 2)));
    check_balance(Layout::cyclic(shape, process_grid(ranks, 3)), Layout::slab(shape, ranks, 2, {2, 1, 0}));
    check_balance(Layout::single(shape, ranks, 1), Layout::slab(shape, ranks, 0));
    check_balance(Layout::slab(long_line, ranks), Layout::cyclic(long_line, {ranks}));
  }
}

TEST(LayoutLarge, MessageBeyondTwoToThe31) {
  const Shape shape{4, 4 * giga};
  const Schedule s = make_schedule(Layout::slab(shape, 2, 0), Layout::slab(shape, 2, 1), 0);
  ASSERT_EQ(s.send.size(), 1u);
  EXPECT_EQ(s.send[0].count, 4 * giga);
  ASSERT_EQ(s.send[0].boxes.size(), 1u);
  const Box& box = s.send[0].boxes[0];
  EXPECT_EQ(box.axes, 2);
  EXPECT_EQ(box.offset, 2 * giga);
  EXPECT_EQ(box.count[1], 2 * giga);
  EXPECT_EQ(box.stride[0], 4 * giga);
  ASSERT_EQ(s.recv.size(), 1u);
  EXPECT_TRUE(s.recv[0].boxes[0].contiguous());
  EXPECT_EQ(s.recv[0].boxes[0].offset, 4 * giga);
}

/// A slab of 100000 ranks: the schedule of one of them must not look at all others one by one for each message.
TEST(LayoutLarge, ManyRanks) {
  const Shape shape{100000, 300, 300};
  const Layout bricks = Layout::brick(shape, {1000, 10, 10});
  const Layout pencils = Layout::pencil(shape, {250, 400}, 0);
  for (const int rank : {0, 54321, 99999}) {
    const Schedule s = make_schedule(bricks, pencils, rank);
    std::int64_t kept = 0;
    for (const LocalCopy& c : s.self) kept += c.from.elements();
    EXPECT_EQ(s.send_count + kept, bricks.count(rank));
    EXPECT_EQ(s.recv_count + kept, pencils.count(rank));
  }
}

}  // namespace
}  // namespace shardfft::test
