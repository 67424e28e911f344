// The order of a pipeline's tasks, and the axes that pipelines are cut along.
#include <gtest/gtest.h>

#include <algorithm>

#include "exec/task_graph.hpp"
#include "lower/chunking.hpp"

namespace shardfft::test {
namespace {

using Transform = PipelineShape::Transform;

/// Position of a task, or -1.
int at(const std::vector<PipelineTask>& tasks, Stage stage, int chunk) {
  const auto found = std::find(tasks.begin(), tasks.end(), PipelineTask{stage, chunk});
  return found == tasks.end() ? -1 : static_cast<int>(found - tasks.begin());
}

int count(Transform transform, int chunks) {
  return transform == Transform::none ? 0 : (transform == Transform::whole ? 1 : chunks);
}

void check_order(const PipelineShape& s) {
  const auto tasks = order_tasks(s);
  const int before = count(s.before, s.chunks);
  const int after = count(s.after, s.chunks);
  ASSERT_EQ(static_cast<int>(tasks.size()), 2 * s.chunks + before + after);
  for (int k = 0; k < s.chunks; ++k) {
    const int start = at(tasks, Stage::start, k);
    const int finish = at(tasks, Stage::finish, k);
    EXPECT_LT(start, finish);
    if (k > 0) {
      EXPECT_LT(at(tasks, Stage::start, k - 1), start);
      EXPECT_LT(at(tasks, Stage::finish, k - 1), finish);
    }
    if (k >= s.in_flight) {
      EXPECT_LT(at(tasks, Stage::finish, k - s.in_flight), start);
    }
    for (int b = 0; b < before; ++b)
      if (s.before == Transform::whole || s.barrier == Barrier::before_start || b == k) {
        EXPECT_LT(at(tasks, Stage::before, b), start);
      }
    for (int a = 0; a < after; ++a)
      if (s.after == Transform::whole || s.barrier == Barrier::finish_after || a == k) {
        EXPECT_GT(at(tasks, Stage::after, a), finish);
      }
  }
}

void check_two_ends(const PipelineShape& s) {
  SCOPED_TRACE(std::to_string(s.head) + " of " + std::to_string(s.chunks) + ", " + std::to_string(s.before_chunks));
  const auto tasks = order_tasks(s);
  ASSERT_EQ(static_cast<int>(tasks.size()), 2 * s.chunks + s.before_chunks + s.chunks - s.head);
  for (int k = 0; k < s.chunks; ++k) {
    const int start = at(tasks, Stage::start, k);
    EXPECT_LT(start, at(tasks, Stage::finish, k));
    if (k >= s.in_flight) {
      EXPECT_LT(at(tasks, Stage::finish, k - s.in_flight), start);
    }
    // What is sent is transformed: a chunk, or what the head left.
    for (int b = 0; b < s.before_chunks; ++b)
      if (b == k || k >= s.head || s.barrier == Barrier::before_start) {
        EXPECT_LT(at(tasks, Stage::before, b), start);
      }
  }
  // What is transformed has come, of this chunk and of the whole head.
  for (int a = 0; a < s.chunks - s.head; ++a)
    for (int k = 0; k < s.chunks; ++k)
      if (k <= s.head + a || s.barrier == Barrier::finish_after) {
        EXPECT_GT(at(tasks, Stage::after, a), at(tasks, Stage::finish, k));
      }
}

std::vector<PipelineTask> exchanges(const std::vector<PipelineTask>& tasks) {
  std::vector<PipelineTask> some;
  for (const PipelineTask& t : tasks)
    if (t.stage == Stage::start || t.stage == Stage::finish) some.push_back(t);
  return some;
}

TEST(TaskGraph, TasksWaitForWhatTheyNeed) {
  const std::vector<Transform> transforms{Transform::none, Transform::whole, Transform::chunked};
  for (const int chunks : {1, 2, 3, 7})
    for (const int in_flight : {1, 2, 3})
      for (const Transform before : transforms)
        for (const Transform after : transforms)
          for (const Barrier barrier : {Barrier::none, Barrier::before_start, Barrier::finish_after})
            check_order({chunks, before, after, barrier, in_flight});
}

/// Ranks whose input is their output, or that own nothing, meet the others in the same exchanges.
TEST(TaskGraph, ExchangesComeInOneOrder) {
  for (const Transform after : {Transform::none, Transform::whole, Transform::chunked}) {
    PipelineShape shape{5, Transform::chunked, after};
    const auto plain = exchanges(order_tasks(shape));
    for (const Barrier barrier : {Barrier::before_start, Barrier::finish_after}) {
      shape.barrier = barrier;
      EXPECT_EQ(exchanges(order_tasks(shape)), plain);
    }
  }
}

TEST(TaskGraph, EachEndHasChunksOfItsOwn) {
  for (const int head : {1, 2, 5})
    for (const int tail : {1, 2, 5})
      for (const int befores : {head + 1, 2 * head, 2 * head + 1})
        for (const Barrier barrier : {Barrier::none, Barrier::before_start, Barrier::finish_after})
          check_two_ends({head + tail, Transform::chunked, Transform::chunked, barrier, 2, head, befores});
}

/// Half of the chunks before are transformed beside the messages of the other half, and so it is behind them.
TEST(TaskGraph, BothEndsHaveMessagesBesideThem) {
  const auto tasks = order_tasks({4, Transform::chunked, Transform::chunked, Barrier::none, 2, 2, 4});
  const std::vector<PipelineTask> expected{
      {Stage::before, 0}, {Stage::start, 0},  {Stage::before, 1}, {Stage::start, 1},  {Stage::before, 2},
      {Stage::before, 3}, {Stage::finish, 0}, {Stage::start, 2},  {Stage::finish, 1}, {Stage::start, 3},
      {Stage::finish, 2}, {Stage::after, 0},  {Stage::finish, 3}, {Stage::after, 1}};
  EXPECT_EQ(tasks, expected);
}

/// What the pipeline is for: between start and finish of an exchange there is work.
TEST(TaskGraph, TransformsLieBetweenStartAndFinish) {
  const auto tasks = order_tasks({4, Transform::chunked, Transform::chunked});
  const std::vector<PipelineTask> expected{
      {Stage::before, 0}, {Stage::start, 0},  {Stage::before, 1}, {Stage::start, 1},
      {Stage::before, 2}, {Stage::finish, 0}, {Stage::start, 2},  {Stage::after, 0},
      {Stage::before, 3}, {Stage::finish, 1}, {Stage::start, 3},  {Stage::after, 1},
      {Stage::finish, 2}, {Stage::after, 2},  {Stage::finish, 3}, {Stage::after, 3}};
  EXPECT_EQ(tasks, expected);
}

Layout planes(const Shape& shape, int axis) { return Layout::slab(shape, 4, axis); }

/// Slabs of so many fields before and after the reshape, and the transforms at its ends.
struct Slabs {
  explicit Slabs(std::int64_t fields) : from(planes({fields, 16, 16, 16}, 1)), to(planes({fields, 16, 16, 16}, 2)) {}
  Layout from, to;
  TransformStep yz = fourier_step({2, 3}, Kind::c2c, {1, 1, 1, 1});
  TransformStep x = fourier_step({1}, Kind::c2c, {1, 1, 1, 1});
};

TEST(Chunking, BatchServesBothEndsOfSlabs) {
  const Slabs slabs(8);
  const auto& [from, to, yz, x] = slabs;
  const Chunking fields = choose_chunking({from, to, &yz, &x}, 4);
  EXPECT_EQ(describe(fields), "4 chunks along the batch at both ends");
  const Chunking more = choose_chunking({from, to, &yz, &x}, 100);
  EXPECT_EQ(describe(more), "8 chunks along the batch at both ends");
}

TEST(Chunking, SlabsOfOneFieldAreCutAtOneEnd) {
  const Slabs slabs(1);
  const auto& [from, to, yz, x] = slabs;
  EXPECT_EQ(describe(choose_chunking({from, to, &yz, &x}, 4)), "4 chunks along axis 0 at the sender");
  EXPECT_EQ(describe(choose_chunking({from, to, nullptr, &x}, 4)), "4 chunks along axis 1 at the receiver");
  EXPECT_EQ(describe(choose_chunking({from, to, nullptr, &x}, 16)), "16 chunks along axis 2 at the receiver");
  EXPECT_FALSE(choose_chunking({from, to, nullptr, nullptr}, 4).cuts());
  EXPECT_FALSE(choose_chunking({from, to, &yz, &x}, 1).cuts());
}

TEST(Chunking, EachEndOfASlabAlongItsOwnAxis) {
  const Slabs slabs(1);
  const auto& [from, to, yz, x] = slabs;
  const auto two = choose_two_chunkings({from, to, &yz, &x}, 4);
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(describe(*two), "4 chunks, 2 along axis 0 at the sender and 2 along axis 1 at the receiver");
  EXPECT_EQ(two->messages(), 4);
  const auto odd = choose_two_chunkings({from, to, &yz, &x}, 3);
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(describe(*odd), "3 chunks, 1 along axis 0 at the sender and 2 along axis 1 at the receiver");
  EXPECT_FALSE(choose_two_chunkings({from, to, nullptr, &x}, 4).has_value());
  EXPECT_FALSE(choose_two_chunkings({from, to, &yz, nullptr}, 4).has_value());
}

/// Every element is in one message.
TEST(Chunking, TwoChunkingsSendEverythingOnce) {
  const Shape shape{1, 13, 11, 5};
  const TransformStep yz = fourier_step({2, 3}, Kind::c2c, {1, 1, 1, 1});
  const TransformStep x = fourier_step({1}, Kind::c2c, {1, 1, 1, 1});
  const Layout from = planes(shape, 1);
  const Layout to = planes(shape, 2);
  for (int chunks = 2; chunks < 9; ++chunks) {
    const auto two = choose_two_chunkings({from, to, &yz, &x}, chunks);
    ASSERT_TRUE(two.has_value());
    for (int rank = 0; rank < 4; ++rank) {
      std::int64_t sent = 0, received = 0;
      for (int k = 0; k < two->messages(); ++k) {
        const Schedule some = make_schedule(from, to, rank, two->from(k), two->to(k));
        sent += some.send_count;
        received += some.recv_count;
      }
      const Schedule all = make_schedule(from, to, rank);
      EXPECT_EQ(sent, all.send_count);
      EXPECT_EQ(received, all.recv_count);
    }
  }
}

TEST(Chunking, PencilsAreCutAlongTheAxisTheyKeep) {
  const Shape shape{1, 16, 16, 16};
  const TransformStep z = fourier_step({3}, Kind::c2c, {1, 1, 1, 1});
  const TransformStep y = fourier_step({2}, Kind::c2c, {1, 1, 1, 1});
  const Layout from = Layout::brick(shape, {1, 2, 2, 1});
  const Layout to = Layout::brick(shape, {1, 2, 1, 2});
  EXPECT_EQ(describe(choose_chunking({from, to, &z, &y}, 4)), "4 chunks along axis 0 at both ends");
  EXPECT_EQ(describe(choose_chunking({from, to, &z, &y}, 7)), "7 chunks along axis 0 at both ends");
  EXPECT_EQ(describe(choose_chunking({from, to, &z, &y}, 99)), "8 chunks along axis 0 at both ends");
}

/// An axis that is cut differently before and after serves one end only.
TEST(Chunking, AxisWithOtherPartsServesOneEnd) {
  const Shape shape{1, 16, 16, 16};
  const TransformStep z = fourier_step({3}, Kind::c2c, {1, 1, 1, 1});
  const Layout from = Layout::brick(shape, {1, 4, 1, 1});
  const Layout to = Layout::brick(shape, {1, 2, 2, 1});
  EXPECT_EQ(choose_chunking({from, to, &z, &z}, 4).ends, ChunkEnds::sender);
  EXPECT_EQ(choose_chunking({from, from, &z, &z}, 4).ends, ChunkEnds::both);
}

TEST(Chunking, NothingToCut) {
  const Shape shape{1, 1, 1, 16};
  const TransformStep z = fourier_step({3}, Kind::c2c, {1, 1, 1, 1});
  const Layout single = Layout::single(shape, 4);
  EXPECT_FALSE(choose_chunking({single, single, &z, nullptr}, 4).cuts());
}

}  // namespace
}  // namespace shardfft::test
