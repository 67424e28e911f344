// Schedules between all pairs of layout kinds: every element arrives where the target layout has it.
#include <gtest/gtest.h>

#include <numeric>

#include "schedule_check.hpp"
#include "shardfft/error.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

void check_pair(const Layout& from, const Layout& to) {
  Arrays destination = blank(to);
  run_schedules(schedules(from, to), filled(from), destination);
  EXPECT_EQ(destination, filled(to));
}

/// Layouts with several pieces a rank: rows r and (the rest dealt from the end), as one exchange leaves them.
Layout two_runs(const Shape& shape, int ranks) {
  return Layout::from_pieces(shape, ranks, [shape, ranks](int rank) {
    const std::int64_t half = shape[0] / 2;
    std::vector<Piece> pieces;
    std::int64_t offset = 0;
    for (const bool upper : {false, true}) {
      Progression run = block_part(upper ? shape[0] - half : half, ranks, upper ? ranks - 1 - rank : rank);
      run.first += upper ? half : 0;
      Piece piece;
      piece.set = whole_box(shape);
      piece.set.axis[0] = run;
      piece.offset = offset;
      std::int64_t stride = 1;
      for (std::size_t a = shape.size(); a-- > 0; stride *= piece.set.axis[a].count) piece.stride[a] = stride;
      offset += piece.set.count();
      if (!piece.set.empty()) pieces.push_back(piece);
    }
    return pieces;
  });
}

TEST(Schedule, TheOnlyPieceMayBeEmptyButIsOne) {
  const Layout layout = Layout::slab({1, 3}, 2);
  EXPECT_EQ(only_piece(layout, 0), layout.pieces(0).front());
  const Piece none = only_piece(layout, 1);
  EXPECT_EQ(none.set.axes, 2);
  EXPECT_TRUE(none.set.empty());
  EXPECT_THROW(only_piece(two_runs({4, 3}, 1), 0), Error);
}

std::vector<NamedLayout> wide_zoo(const Shape& shape, int ranks) {
  std::vector<NamedLayout> all = zoo(shape, ranks);
  all.push_back({"two-runs", two_runs(shape, ranks)});
  all.push_back({"other-mosaic", mosaic(shape, ranks, 12)});
  return all;
}

TEST(Schedule, AllPairsOfKinds) {
  const std::vector<Shape> shapes{{7}, {5, 6}, {5, 4, 3}, {1, 1, 1}, {3, 2, 2, 2}};
  for (const Shape& shape : shapes)
    for (int ranks : {1, 2, 3, 4, 6})
      for (const auto& [name, from] : wide_zoo(shape, ranks))
        for (const auto& [other_name, to] : wide_zoo(shape, ranks)) {
          SCOPED_TRACE(name + " to " + other_name + " " + text(shape) + " on " + std::to_string(ranks));
          check_pair(from, to);
          if (HasFailure()) return;
        }
}

TEST(Schedule, BatchesTravelWithTheirIndices) {
  const Shape shape{5, 4, 3};
  for (const auto& [name, from] : wide_zoo(shape, 4))
    for (const auto& [other_name, to] : wide_zoo(shape, 4)) {
      SCOPED_TRACE(name + " to " + other_name);
      check_pair(from.with_batch(2), to.with_batch(2));
    }
}

TEST(Schedule, RandomMosaics) {
  Random random(41);
  for (int i = 0; i < 150; ++i) {
    Shape shape;
    for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 6));
    const int ranks = static_cast<int>(random.integer(1, 9));
    SCOPED_TRACE("round " + std::to_string(i) + ": " + text(shape) + " on " + std::to_string(ranks));
    const auto all = wide_zoo(shape, ranks);
    const auto pick = [&] { return all[to_size(random.integer(0, static_cast<std::int64_t>(all.size()) - 1))].layout; };
    check_pair(mosaic(shape, ranks, static_cast<std::uint64_t>(1000 + i)), pick());
    check_pair(pick(), mosaic(shape, ranks, static_cast<std::uint64_t>(2000 + i), reversed_order(shape.size())));
    if (HasFailure()) return;
  }
}

/// The schedules of all slices together are the whole, and no element is in two.
TEST(Schedule, SlicesOfEitherSideAddUp) {
  const Shape shape{5, 4, 3};
  const int ranks = 4;
  for (const auto& [name, from] : wide_zoo(shape, ranks))
    for (const auto& [other_name, to] : wide_zoo(shape, ranks))
      for (int axis = 0; axis < 3; ++axis)
        for (const std::int64_t parts : {2, 3, 7})
          for (const bool sender : {true, false}) {
            SCOPED_TRACE(name + " to " + other_name + ", axis " + std::to_string(axis) + " in " +
                         std::to_string(parts) + (sender ? " at the sender" : " at the receiver"));
            Arrays destination = blank(to);
            for (std::int64_t i = 0; i < parts; ++i) {
              const Slice slice{axis, parts, i};
              run_schedules(schedules(from, to, sender ? slice : Slice{}, sender ? Slice{} : slice), filled(from),
                            destination);
            }
            EXPECT_EQ(destination, filled(to));
            if (HasFailure()) return;
          }
}

TEST(Schedule, SlicesOfBothSidesAddUp) {
  const Shape shape{6, 4, 3};
  const int ranks = 3;
  const Layout from = Layout::slab(shape, ranks, 0);
  for (const Layout& to : {Layout::slab(shape, ranks, 1), Layout::cyclic(shape, {1, 3, 1}), uneven_boxes(shape, 3)}) {
    Arrays destination = blank(to);
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        run_schedules(schedules(from, to, {2, 2, i}, {0, 3, j}), filled(from), destination);
    EXPECT_EQ(destination, filled(to));
  }
}

/// A slice takes near-equal runs of what each rank owns.
TEST(Schedule, SliceIsARunOfTheRanksOwnIndices) {
  const Layout from = Layout::slab({4, 5}, 2, 0);
  const Schedule s = make_schedule(from, Layout::slab({4, 5}, 2, 1), 1, {0, 2, 1});
  ASSERT_EQ(s.self.size(), 1u);
  EXPECT_EQ(addresses(s.self[0].from), (std::vector<std::int64_t>{8, 9}));
  ASSERT_EQ(s.send.size(), 1u);
  EXPECT_EQ(addresses(s.send[0]), (std::vector<std::int64_t>{5, 6, 7}));
}

/// Several parts in one slice are what each of them is, in uneven parts and in grains too.
TEST(Schedule, RunsOfPartsAddUp) {
  const Layout from = Layout::slab({3, 23}, 2, 0);
  for (const std::int64_t grain : {1, 3})
    for (const std::int64_t parts : {2, 5, 9})
      for (std::int64_t first = 0; first < parts; ++first)
        for (std::int64_t run = 1; first + run <= parts; ++run) {
          const Piece whole = only_piece(from, 1);
          const Piece many = sliced(whole, {1, parts, first, grain, run});
          std::int64_t count = 0;
          for (std::int64_t k = first; k < first + run; ++k) count += sliced(whole, {1, parts, k, grain}).set.count();
          EXPECT_EQ(many.set.count(), count);
          EXPECT_EQ(many.offset, sliced(whole, {1, parts, first, grain}).offset);
        }
}

TEST(Schedule, PackedInTheReceiversOrder) {
  const Layout from = Layout::slab({2, 3}, 2, 0);
  const Layout to = Layout::single({2, 3}, 2, 0, {1, 0});
  const Schedule receiver = make_schedule(from, to, 0);
  ASSERT_EQ(receiver.recv.size(), 1u);
  EXPECT_EQ(addresses(receiver.recv[0]), (std::vector<std::int64_t>{1, 3, 5}));
  const Schedule sender = make_schedule(from, to, 1);
  ASSERT_EQ(sender.send.size(), 1u);
  EXPECT_TRUE(sender.send[0].boxes[0].contiguous());
}

TEST(Schedule, SameLayoutKeepsAllAtHome) {
  for (const auto& [name, layout] : wide_zoo({5, 4, 3}, 4))
    for (const Schedule& s : schedules(layout, layout)) {
      EXPECT_TRUE(s.send.empty() && s.recv.empty()) << name;
      for (const LocalCopy& c : s.self) EXPECT_EQ(addresses(c.from), addresses(c.to)) << name;
    }
}

/// Components of the graph whose edges are messages, by brute force.
std::vector<int> component(const Layout& from, const Layout& to, int rank) {
  const auto before = places(from);
  const auto after = places(to);
  std::vector<int> label(to_size(from.ranks()));
  std::iota(label.begin(), label.end(), 0);
  for (std::size_t sweep = 0; sweep < label.size(); ++sweep)
    for (std::size_t i = 0; i < before.size(); ++i) {
      int& a = label[to_size(before[i].rank)];
      int& b = label[to_size(after[i].rank)];
      a = b = std::min(a, b);
    }
  std::vector<int> members;
  for (std::size_t r = 0; r < label.size(); ++r)
    if (label[r] == label[to_size(rank)]) members.push_back(static_cast<int>(r));
  return members;
}

TEST(GatherBoxes, BeginWithTheReadersOwnArrayAndGoRound) {
  const Layout from = Layout::slab({8, 6}, 4, 0), to = Layout::slab({8, 6}, 4, 1);
  const Piece target = only_piece(to, 1);
  std::vector<int> peers;
  std::int64_t elements = 0;
  for (const PeerCopy& copy : gather_boxes(from, target, 2)) {
    peers.push_back(copy.peer);
    elements += copy.boxes.to.elements();
  }
  EXPECT_EQ(peers, (std::vector<int>{2, 3, 0, 1}));
  EXPECT_EQ(elements, target.set.count());
}

TEST(ExchangeGroup, IsTheConnectedComponent) {
  for (const Shape& shape : {Shape{6, 4, 4}, Shape{3, 2, 2}, Shape{9}})
    for (int ranks : {1, 2, 4, 6, 8})
      for (const auto& [name, from] : wide_zoo(shape, ranks))
        for (const auto& [other_name, to] : wide_zoo(shape, ranks))
          for (int r = 0; r < ranks; ++r)
            ASSERT_EQ(exchange_group(from, to, r), component(from, to, r))
                << name << " to " << other_name << " " << text(shape) << " rank " << r << " of " << ranks;
}

TEST(ExchangeGroup, RowsAndColumnsOfAPencilGrid) {
  const Shape shape{8, 8, 8};
  const Layout z = Layout::pencil(shape, {2, 4}, 2);
  const Layout y = Layout::pencil(shape, {2, 4}, 1);
  EXPECT_EQ(exchange_group(z, y, 1), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(exchange_group(z, y, 6), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(exchange_group(Layout::slab({3, 4}, 6), Layout::slab({3, 4}, 6, 1), 5), (std::vector<int>{5}));
}

}  // namespace
}  // namespace shardfft::test
