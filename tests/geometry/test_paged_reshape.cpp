// Changes of layout inside one array by pages, played on vectors: every element arrives, and as little lies beside the
// array as was asked for.
#include <gtest/gtest.h>

#include "geometry/box_range.hpp"
#include "reshape/box_order.hpp"
#include "reshape/paged_reshape.hpp"
#include "shardfft/error.hpp"
#include "support/elements.hpp"
#include "support/random_layouts.hpp"

namespace shardfft::test {
namespace {

using Numbers = std::vector<std::int64_t>;

/// One rank's array, its slots beside it, and its pages on their way.
class Player {
 public:
  Player(const Layout& from, const Layout& to, int rank, const PageCut& cut)
      : plan(from, to, rank, cut),
        page_(cut.page),
        array_(numbers_by_address(from, rank)),
        beside_(to_size(plan.slots_beside() * page_), -1),
        leaving(to_size(cut.group_size() * page_), -1),
        coming(leaving.size(), -1) {
    array_.resize(to_size(std::max(from.count(rank), to.count(rank))), -1);
  }
  void take_apart() {
    for (const PageMove& move : plan.apart()) {
      std::int64_t i = move.first;
      for (std::int64_t k = 0; k < move.box.elements(); ++k)
        *at(move.slot, i++) = array_[to_size(place_in(move.box, k))];
    }
  }
  void leave(std::size_t round) {
    for (const PageSent& sent : plan.rounds()[round].leave)
      std::copy_n(at(sent.slot, 0), sent.elements, leaving.begin() + static_cast<std::int64_t>(sent.member) * page_);
  }
  void come(std::size_t round) {
    for (const PageSent& sent : plan.rounds()[round].come)
      std::copy_n(coming.begin() + static_cast<std::int64_t>(sent.member) * page_, sent.elements, at(sent.slot, 0));
  }
  void put_together() {
    for (const PageShift& shift : plan.shifts()) std::copy_n(at(shift.from, 0), shift.elements, at(shift.to, 0));
    for (auto move = plan.together().rbegin(); move != plan.together().rend(); ++move) {
      std::int64_t i = move->first;
      for (std::int64_t k = 0; k < move->box.elements(); ++k)
        array_[to_size(place_in(move->box, k))] = *at(move->slot, i++);
    }
  }
  Numbers array(std::int64_t count) const { return {array_.begin(), array_.begin() + count}; }

  PagedReshape plan;

 private:
  Numbers::iterator at(std::int64_t slot, std::int64_t i) {
    const bool inside = slot < plan.slots_in_array();
    Numbers& memory = inside ? array_ : beside_;
    const std::int64_t first = (inside ? slot : slot - plan.slots_in_array()) * page_ + i;
    EXPECT_LT(first, static_cast<std::int64_t>(memory.size()));
    return memory.begin() + first;
  }

  std::int64_t page_;
  Numbers array_, beside_;

 public:
  Numbers leaving, coming;
};

/// What a round's exchange does.
void exchange(std::vector<Player>& players, const PageCut& cut) {
  for (std::size_t r = 0; r < players.size(); ++r) {
    const std::vector<int>& group = cut.group_of(static_cast<int>(r));
    const auto me = std::find(group.begin(), group.end(), static_cast<int>(r)) - group.begin();
    for (std::size_t i = 0; i < group.size(); ++i)
      std::copy_n(players[r].leaving.begin() + static_cast<std::int64_t>(i) * cut.page, cut.page,
                  players[to_size(group[i])].coming.begin() + me * cut.page);
  }
}

void check(const Layout& from, const Layout& to, std::size_t bytes) {
  SCOPED_TRACE(from.describe() + " to " + to.describe() + ", " + std::to_string(bytes) + " bytes");
  const PageCut cut = cut_in_pages(from, to, 8, bytes);
  std::vector<Player> players;
  for (int r = 0; r < from.ranks(); ++r) players.emplace_back(from, to, r, cut);
  for (Player& player : players) player.take_apart();
  for (std::size_t k = 0; k < to_size(cut.rounds); ++k) {
    for (Player& player : players) player.leave(k);
    exchange(players, cut);
    for (Player& player : players) player.come(k);
  }
  for (Player& player : players) player.put_together();
  for (int r = 0; r < from.ranks(); ++r) {
    const Player& player = players[to_size(r)];
    EXPECT_EQ(player.array(to.count(r)), numbers_by_address(to, r)) << "rank " << r;
    const std::int64_t pages = player.plan.slots_beside() + (cut.rounds > 0 ? 2 * cut.group_size() : 0);
    if (cut.page > 1) {
      EXPECT_LE(pages * cut.page * 8, static_cast<std::int64_t>(bytes)) << "rank " << r;
    }
  }
}

/// From few elements beside the array to more than all.
void check(const Layout& from, const Layout& to) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1000}, std::size_t{4000}, std::size_t{1} << 20})
    check(from, to, bytes);
}

TEST(PagedReshape, SlabsAndPencils) {
  for (const int ranks : {1, 2, 3, 4, 6})
    for (const Shape& shape : {Shape{12, 12, 12}, Shape{7, 5, 9}, Shape{2, 3, 4}, Shape{1, 1, 1}}) {
      check(Layout::slab(shape, ranks), Layout::slab(shape, ranks, 1));
      check(Layout::slab(shape, ranks, 1), Layout::slab(shape, ranks));
      check(Layout::slab(shape, ranks), Layout::slab(shape, ranks, 2));
      check(Layout::pencil(shape, ranks), Layout::pencil(shape, ranks, 1));
      check(Layout::pencil(shape, ranks, 1), Layout::pencil(shape, ranks, 0));
      check(Layout::brick(shape, ranks), Layout::pencil(shape, ranks));
      check(Layout::single(shape, ranks), Layout::slab(shape, ranks));
      check(Layout::slab(shape, ranks), Layout::single(shape, ranks, ranks - 1));
    }
}

/// All orders in memory are right if they are the same on both sides; else it is refused.
TEST(PagedReshape, RandomLayouts) {
  int done = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random(i);
    Shape shape;
    for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 8));
    const auto ranks = static_cast<int>(random.integer(1, 6));
    const Layout from = random_layout(random, shape, ranks), to = random_layout(random, shape, ranks);
    try {
      check(from, to);
      ++done;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Status::unsupported) << error.what();
      EXPECT_NE(from.order(), to.order()) << from.describe() << " to " << to.describe();
    }
  }
  EXPECT_GT(done, 100);
}

TEST(PagedReshape, PencilsExchangeInTheirGroups) {
  const Shape shape{8, 8, 8};
  const PageCut cut = cut_in_pages(Layout::pencil(shape, {2, 3}), Layout::pencil(shape, {2, 3}, 1), 8, 1 << 10);
  EXPECT_EQ(cut.groups, (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_GT(cut.rounds, 1);
}

TEST(BoxOrder, PartsAndPlaces) {
  Box box;
  box.axes = 3;
  box.offset = 5;
  box.count = {3, 2, 4};
  box.stride = {40, 13, 2};
  ASSERT_TRUE(in_memory_order(box));
  for (std::int64_t i = 0; i < box.elements(); ++i) {
    EXPECT_EQ(elements_before(box, place_in(box, i)), i);
    EXPECT_EQ(elements_before(box, place_in(box, i) + 1), i + 1);
    for (std::int64_t end = i; end <= box.elements(); ++end) {
      std::int64_t at = i;
      for (const Box& part : box_range({box}, i, end))
        for (std::int64_t k = 0; k < part.elements(); ++k) EXPECT_EQ(place_in(part, k), place_in(box, at++));
      EXPECT_EQ(at, end);
    }
  }
  box.stride[1] = 6;
  EXPECT_FALSE(in_memory_order(box));
}

}  // namespace
}  // namespace shardfft::test
