// Every wrong layout is refused with words that say what is wrong.
#include <gtest/gtest.h>

#include <climits>
#include <functional>

#include "shardfft/error.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

struct BadLayout {
  std::string name;
  std::function<void()> make;
  std::string words;  ///< part of the message
};

void check_refused(const std::vector<BadLayout>& cases) {
  for (const BadLayout& c : cases) {
    SCOPED_TRACE(c.name);
    try {
      c.make();
      ADD_FAILURE() << "no exception";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Status::invalid_argument) << e.what();
      EXPECT_NE(std::string(e.what()).find(c.words), std::string::npos) << "says: " << e.what();
    }
  }
}

IndexSet with_axis(IndexSet set, std::size_t axis, const Progression& p) {
  set.axis[axis] = p;
  return set;
}

TEST(LayoutErrors, Constructors) {
  const Shape shape{4, 5, 6};
  check_refused({
      {"no axes", [] { Layout::slab({}, 2); }, "1 to 4 axes, got 0"},
      {"extent zero",
       [] {
         Layout::slab({4, 0}, 2);
       },
       "axis 1 has extent 0"},
      {"negative extent",
       [] {
         Layout::brick({-4, 2}, {1, 1});
       },
       "axis 0 has extent -4"},
      {"pieces by no function", [&] { Layout::from_pieces(shape, 2, {}); }, "needs a function that gives the pieces"},
      {"no axis beside the fields", [] { Layout::slab({5}, 2).without_batch(); }, "a layout of one axis"},
      {"no ranks", [&] { Layout::slab(shape, 0); }, "at least 1 rank, got 0"},
      {"slab axis", [&] { Layout::slab(shape, 2, 3); }, "slab axis 3 is not an axis of an array with 3 axes"},
      {"negative slab axis", [&] { Layout::slab(shape, 2, -1); }, "slab axis -1"},
      {"pencil axis",
       [&] {
         Layout::pencil(shape, {1, 2}, 5);
       },
       "local axis 5"},
      {"pencil grid",
       [&] {
         Layout::pencil(shape, {1, 2, 1}, 0);
       },
       "process grid of 2 entries, got 3"},
      {"brick grid",
       [&] {
         Layout::brick(shape, {2, 2});
       },
       "3 expected, got 2"},
      {"grid of zero",
       [&] {
         Layout::brick(shape, {2, 0, 1});
       },
       "0 parts along axis 1"},
      {"cyclic grid",
       [&] {
         Layout::cyclic(shape, {2, 2, 2, 2});
       },
       "3 expected, got 4"},
      {"order length",
       [&] {
         Layout::slab(shape, 2, 0, {0, 1});
       },
       "name each of the 3 axes once"},
      {"order twice",
       [&] {
         Layout::brick(shape, {1, 1, 2}, {0, 1, 1});
       },
       "name each of the 3 axes once"},
  });
}

TEST(LayoutErrors, BoxesAndQueries) {
  const Shape shape{4, 5, 6};
  check_refused({
      {"no boxes", [&] { Layout::boxes(shape, {}); }, "one index set a rank, got none"},
      {"box axes",
       [&] {
         Layout::boxes(shape, {box({0, 0}, {4, 5})});
       },
       "index set of rank 0 has 2 axes"},
      {"owner", [&] { Layout::single(shape, 3, 3); }, "owner 3 is not one of 3 ranks"},
      {"local of no rank", [&] { Layout::slab(shape, 2).local(2); }, "rank 2 is not in a layout of 2 ranks"},
      {"negative rank", [&] { Layout::slab(shape, 2).local(-1); }, "rank -1"},
      {"count of no rank", [&] { Layout::single(shape, 2).count(2); }, "rank 2 is not in a layout of 2 ranks"},
      {"pieces of no rank", [&] { Layout::slab(shape, 2).pieces(-1); }, "rank -1"},
      {"parts of no axis", [&] { Layout::slab(shape, 2).parts(3); }, "axis 3"},
      {"parts of boxes", [&] { Layout::single(shape, 2).parts(0); }, "only grid layouts"},
      {"another extent of no axis", [&] { Layout::slab(shape, 2).with_axis_extent(-1, 4); }, "axis -1"},
      {"another extent of zero", [&] { Layout::slab(shape, 2).with_axis_extent(0, 0); }, "cannot have extent 0"},
      {"another extent of a part without a stride",
       [] {
         Layout::grid({8}, {{{0, 7, 1}, {7, 1, 0}}}, 2).with_axis_extent(0, 9);
       },
       "has stride 0; strides are at least 1"},
      {"shape of nothing", [] { Layout().shape(); }, "the layout is empty"},
      {"count of nothing", [] { Layout().count(0); }, "rank 0 is not in a layout of 0 ranks"},
      {"most of nothing", [] { Layout().max_count(); }, "the layout is empty"},
      {"sets of other axes",
       [] {
         intersect(box({0}, {4}), box({0, 0}, {4, 4}));
       },
       "sets of 1 and 2 axes"},
      {"overlaps of other axes",
       [] {
         Layout::slab({4, 4}, 2).for_overlaps(box({0}, {4}), [](int, const IndexSet&) {});
       },
       "the set has 1 axes, the layout has 2"},
      {"overlaps for nobody",
       [] {
         Layout::slab({4, 4}, 2).for_overlaps(box({0, 0}, {4, 4}), nullptr);
       },
       "no function to visit"},
  });
}

/// Counts that 64 bits cannot hold.
TEST(LayoutErrors, TooLarge) {
  const std::int64_t huge = std::int64_t{1} << 40;
  const Shape small{4, 4};
  check_refused({
      {"elements",
       [&] {
         Layout::slab({huge, huge}, 2);
       },
       "more elements than"},
      {"bytes",
       [&] {
         Layout::single({huge, huge >> 16}, 2);
       },
       "more elements than"},
      {"fields", [&] { Layout::slab({huge}, 2).with_batch(huge); }, "more elements than"},
      {"ranks",
       [&] {
         Layout::brick({4, 4}, {huge, 2});
       },
       "more ranks than"},
      {"ranks that wrap around",
       [&] {
         Layout::cyclic({4, 4}, {huge, huge});
       },
       "more ranks than"},
      {"an axis that grows", [&] { Layout::slab(small, 2).with_axis_extent(0, INT64_MAX); },
       "more elements than memory"},
      {"ranks of a slab", [&] { Layout::slab(small, 1 << 30); }, "more ranks than any machine"},
      {"ranks of pencils", [&] { Layout::pencil(small, 1 << 30); }, "more ranks than any machine"},
      {"ranks of bricks", [&] { Layout::brick(small, INT_MAX); }, "more ranks than any machine"},
      {"ranks of a cyclic layout", [&] { Layout::cyclic(small, 1 << 30); }, "more ranks than any machine"},
      {"ranks beside an owner", [&] { Layout::single(small, (1 << 22) + 1); }, "4194305 ranks has more ranks than"},
      {"ranks of pieces", [&] { Layout::from_pieces(small, 1 << 30, [](int) { return std::vector<Piece>(); }); },
       "more ranks than any machine"},
      {"progression that wraps around",
       [&] {
         Layout::grid({4}, {{{0, 3, std::int64_t{1} << 62}, {1, 1, 1}}}, 2).validate();
       },
       "outside 0 to 3"},
  });
}

TEST(LayoutErrors, Grids) {
  const std::vector<Progression> halves{{0, 2, 1}, {2, 2, 1}};
  const std::vector<Progression> whole{{0, 3, 1}};
  const Shape shape{4, 3};
  check_refused({
      {"too few parts", [&] { Layout::grid(shape, {halves}, 2); }, "parts are needed for each of the 2 axes"},
      {"no parts",
       [&] {
         Layout::grid(shape, {halves, {}}, 2);
       },
       "axis 1 has no parts"},
      {"too few ranks",
       [&] {
         Layout::grid(shape, {halves, whole}, 1);
       },
       "needs 2 ranks, but the layout has 1"},
      {"stride count",
       [&] {
         Layout::grid(shape, {halves, whole}, 2, {1});
       },
       "rank stride"},
      {"stride zero",
       [&] {
         Layout::grid(shape, {halves, whole}, 2, {0, 1});
       },
       "rank stride"},
      {"strides clash",
       [&] {
         Layout::grid({4, 4}, {halves, halves}, 4, {1, 1});
       },
       "rank stride"},
      {"overlap",
       [] {
         Layout::grid({4}, {{{0, 3, 1}, {2, 2, 1}}}, 2).validate();
       },
       "parts 0 and 1 of axis 0 overlap"},
      {"gap",
       [] {
         Layout::grid({4}, {{{0, 2, 1}, {3, 1, 1}}}, 2).validate();
       },
       "cover 3 of 4"},
      {"outside",
       [] {
         Layout::grid({4}, {{{0, 2, 1}, {2, 3, 1}}}, 2).validate();
       },
       "outside 0 to 3"},
  });
}

TEST(LayoutErrors, Boxes) {
  const Shape shape{4, 6};
  const auto validate = [&](std::vector<IndexSet> sets) {
    return [shape, sets] { Layout::boxes(shape, sets).validate(); };
  };
  const IndexSet lower = box({0, 0}, {2, 6});
  const IndexSet upper = box({2, 0}, {4, 6});
  check_refused({
      {"overlap", validate({lower, box({1, 0}, {4, 6})}), "ranks 0 and 1 both own index (1, 0)"},
      {"same box", validate({lower, lower, upper}), "boxes overlap"},
      {"gap", validate({lower, box({2, 0}, {4, 5})}), "leave 2 of 24 elements of the 4x6 array without an owner"},
      {"nothing", validate({empty_set(shape), empty_set(shape)}), "leave 24 of 24"},
      {"too high", validate({lower, box({2, 0}, {4, 7})}), "rank 1: axis 1 covers indices 0 to 6, outside 0 to 5"},
      {"below zero", validate({with_axis(lower, 0, {-1, 3, 1}), upper}), "rank 0: axis 0"},
      {"negative count", validate({with_axis(lower, 0, {0, -2, 1}), upper}), "count -2"},
      {"stride zero", validate({with_axis(lower, 1, {0, 6, 0}), upper}), "stride 0"},
      {"overlap of cyclic sets", validate({with_axis(lower, 1, {0, 3, 2}), with_axis(lower, 1, {0, 2, 3}), upper}),
       "both own index (0, 0)"},
      {"equal volume, but overlap and gap", validate({lower, box({1, 0}, {3, 6})}), "boxes overlap"},
  });
  EXPECT_THROW(Layout().validate(), Error);
}

TEST(LayoutErrors, PiecesAreValidatedToo) {
  const auto twice = [](int) { return std::vector<Piece>{{box({0}, {2}), 0, {1}}}; };
  EXPECT_THROW(Layout::from_pieces({4}, 2, twice).validate(), Error);
}

/// Where a rank's elements lie: in its array, each at a place of its own.
TEST(LayoutErrors, PiecesLieInTheLocalArray) {
  const auto validate = [](const std::vector<Piece>& of_rank_0) {
    return [of_rank_0] {
      Layout::from_pieces({4, 6}, 2, [of_rank_0](int rank) {
        if (rank == 0) return of_rank_0;
        return std::vector<Piece>{{box({2, 0}, {4, 6}), 0, {6, 1}}};
      }).validate();
    };
  };
  const IndexSet upper = box({0, 0}, {2, 6}), left = box({0, 0}, {2, 3}), right = box({0, 3}, {2, 6});
  check_refused({
      {"padded rows", validate({{upper, 0, {8, 1}}}),
       "rank 0: a piece from place 0 on does not lie in the rank's array"},
      {"begins too late", validate({{upper, 1, {6, 1}}}), "which is dense: 12 elements"},
      {"begins too early", validate({{upper, -1, {6, 1}}}), "from place -1"},
      {"stride zero", validate({{upper, 0, {0, 1}}}), "stride 0 in memory"},
      {"negative stride", validate({{upper, 6, {-6, 1}}}), "stride -6 in memory"},
      {"beyond 64 bits", validate({{upper, 0, {std::int64_t{1} << 62, std::int64_t{1} << 61}}}), "does not lie"},
      {"rows in each other", validate({{upper, 0, {2, 1}}}), "two elements lie at place 2"},
      {"pieces in each other", validate({{left, 0, {3, 1}}, {right, 3, {3, 1}}}), "two elements lie at place 3"},
  });
  EXPECT_NO_THROW(validate({{upper, 0, {1, 2}}})());
  EXPECT_NO_THROW(validate({{left, 0, {3, 1}}, {right, 6, {1, 2}}})());
  EXPECT_NO_THROW(validate({{right, 3, {6, 1}}, {left, 0, {6, 1}}})()) << "rows of one between those of the other";
  EXPECT_NO_THROW(validate({{left, 0, {2, 4}}, {right, 1, {2, 4}}})());
}

/// Random tilings are valid; with one box changed they are not.
TEST(LayoutErrors, RandomTilingsAndTheirNeighbours) {
  Random random(31);
  const Shape shape{6, 5, 4};
  for (int i = 0; i < 200; ++i) {
    const Layout layout = mosaic(shape, 7, static_cast<std::uint64_t>(100 + i));
    ASSERT_NO_THROW(layout.validate());
    std::vector<IndexSet> sets;
    for (int r = 0; r < 7; ++r) sets.push_back(layout.local(r));
    IndexSet& victim = sets[static_cast<std::size_t>(random.integer(0, 6))];
    if (victim.empty()) continue;
    Progression& p = victim.axis[static_cast<std::size_t>(random.integer(0, 2))];
    p.first += random.coin() ? 1 : 0;
    p.count += random.coin() ? 1 : -1;
    EXPECT_THROW(Layout::boxes(shape, sets).validate(), Error);
  }
}

}  // namespace
}  // namespace shardfft::test
