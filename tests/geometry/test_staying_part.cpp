// Arrays in two parts before a change of layout: every element has one place, and those that leave lie close together.
#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/staying_part.hpp"
#include "schedule_check.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

void check(const StayingPart& part, int rank) {
  const Piece whole = only_piece(part.from, rank);
  std::vector<int> seen(to_size(part.from.count(rank))), places(to_size(part.leaving().count(rank)));
  for (const Piece& piece : part.leaving(rank)) {
    const LocalCopy copy = copy_between(piece, whole, piece.set);
    for (const std::int64_t at : addresses(copy.from)) ++places.at(to_size(at));
    for (const std::int64_t at : addresses(copy.to)) ++seen.at(to_size(at));
  }
  for (const Piece& piece : part.staying(rank)) {
    const LocalCopy copy = copy_between(piece, only_piece(part.places, rank), piece.set);
    EXPECT_EQ(addresses(copy.from), addresses(copy.to));
    for (const std::int64_t at : addresses(copy_between(piece, whole, piece.set).to)) ++seen.at(to_size(at));
  }
  EXPECT_EQ(std::count(places.begin(), places.end(), 1), std::ssize(places));
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), std::ssize(seen));
}

TEST(StayingPart, EveryElementHasOnePlace) {
  int divided = 0;
  for (const Shape& shape : {Shape{7, 1}, Shape{5, 6}, Shape{5, 4, 3}, Shape{3, 2, 2, 2}})
    for (const int ranks : {2, 3, 4, 6})
      for (const auto& [name, from] : zoo(shape, ranks))
        for (const auto& [other, to] : zoo(shape, ranks)) {
          const auto part = StayingPart::between(from, to, to);
          if (!part) continue;
          SCOPED_TRACE(name + " to " + other + " on " + std::to_string(ranks));
          ++divided;
          for (int rank = 0; rank < ranks; ++rank) check(*part, rank);
          if (HasFailure()) return;
        }
  EXPECT_GT(divided, 50);
}

/// The other indices of the element at each address of a rank's array, as one number.
std::vector<std::int64_t> owners(const Piece& piece, const std::vector<int>& axes, std::int64_t elements) {
  std::vector<std::int64_t> numbers(to_size(elements), -1);
  Piece number = piece;
  std::int64_t stride = 1;
  for (std::size_t a = 0; a < to_size(piece.set.axes); ++a) {
    const bool transformed = std::find(axes.begin(), axes.end(), static_cast<int>(a)) != axes.end();
    number.stride[a] = transformed ? 0 : stride;
    if (!transformed) stride *= piece.set.axis[a].count;
  }
  number.offset = 0;
  const LocalCopy copy = copy_between(number, piece, piece.set);
  const std::vector<std::int64_t> from = addresses(copy.from), to = addresses(copy.to);
  for (std::size_t i = 0; i < to.size(); ++i) numbers[to_size(to[i])] = from[i];
  return numbers;
}

TEST(StayingPart, BeforeRealResultsOfTheSameLines) {
  int divided = 0;
  for (const Shape& shape : {Shape{6, 5, 8}, Shape{8, 7, 6}})
    for (const int ranks : {2, 3, 4})
      for (const AxisOrder& order : {AxisOrder{0, 1, 2}, AxisOrder{1, 0, 2}, AxisOrder{0, 2, 1}}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, axis " + std::to_string(order.front()) + " the slowest");
        const Layout real = Layout::slab(shape, ranks, 0, order);
        const Layout to = real.with_axis_extent(2, shape[2] / 2 + 1), from = Layout::slab(to.shape(), ranks, 1);
        const auto places = StayingPart::places_before_c2r(from, to, real, {1, 2});
        EXPECT_EQ(places.has_value(), order.front() == 0);  // else a plane of results is not in one run
        if (!places) continue;
        ++divided;
        const StayingPart part = *StayingPart::between(from, to, *places);
        for (int rank = 0; rank < ranks; ++rank) {
          check(part, rank);
          const auto results = owners(only_piece(real, rank), {1, 2}, real.count(rank));
          for (const Piece& piece : part.staying(rank)) {
            const std::vector<std::int64_t> held = addresses(box_of(piece));
            const std::int64_t reach = 1 + *std::max_element(held.begin(), held.end());
            ASSERT_LE(2 * reach, real.count(rank));
            const std::vector<std::int64_t> mine = owners(piece, {1, 2}, reach);
            for (const std::int64_t at : held) {
              EXPECT_EQ(results.at(to_size(2 * at)), mine[to_size(at)]);
              EXPECT_EQ(results.at(to_size(2 * at + 1)), mine[to_size(at)]);
            }
          }
        }
      }
  EXPECT_GT(divided, 4);
}

}  // namespace
}  // namespace shardfft::test
