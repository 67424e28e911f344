#pragma once
// Layouts by brute force: every element, its owner and its address, one by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft::test {

using Index = std::array<std::int64_t, max_axes>;

inline std::size_t to_size(std::int64_t i) { return static_cast<std::size_t>(i); }

inline std::int64_t product(const Shape& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

/// Row-major number of an element of the whole array.
inline std::int64_t number_of(const Index& index, const Shape& shape) {
  std::int64_t number = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) number = number * shape[a] + index[a];
  return number;
}

inline Index index_of(std::int64_t number, const Shape& shape) {
  Index index{};
  for (std::size_t a = shape.size(); a-- > 0; number /= shape[a]) index[a] = number % shape[a];
  return index;
}

/// Calls visit(address in the local array, index) for every element of a piece.
template <class Visit>
void for_elements(const Piece& piece, const Visit& visit) {
  const auto axes = static_cast<std::size_t>(piece.set.axes);
  Index at{}, index{};
  for (std::size_t a = 0; a < axes; ++a) index[a] = piece.set.axis[a].at(0);
  std::int64_t address = piece.offset;
  for (std::int64_t left = piece.set.count(); left > 0; --left) {
    visit(address, index);
    for (std::size_t a = axes; a-- > 0;) {  // the next one, as an odometer counts
      const Progression& p = piece.set.axis[a];
      address += piece.stride[a];
      const bool turns_over = ++at[a] == p.count;
      if (turns_over) {
        address -= p.count * piece.stride[a];
        at[a] = 0;
      }
      index[a] = p.at(at[a]);
      if (!turns_over) break;
    }
  }
}

/// Row-major numbers of the elements of a rank, by address; every address must be used exactly once.
inline std::vector<std::int64_t> numbers_by_address(const Layout& layout, int rank) {
  std::vector<std::int64_t> numbers(to_size(layout.count(rank)), -1);
  for (const Piece& piece : layout.pieces(rank))
    for_elements(piece, [&](std::int64_t address, const Index& index) {
      ASSERT_GE(address, 0);
      ASSERT_LT(address, static_cast<std::int64_t>(numbers.size()));
      ASSERT_EQ(numbers[to_size(address)], -1) << "address " << address << " of rank " << rank << " is used twice";
      numbers[to_size(address)] = number_of(index, layout.shape());
    });
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NE(numbers[i], -1) << "address " << i << " is not used";
  return numbers;
}

struct ElementPlace {
  int rank = -1;
  std::int64_t address = -1;
  bool operator==(const ElementPlace&) const = default;
};

/// Where every element of the array lies; fails unless each lies at exactly one place.
inline std::vector<ElementPlace> places(const Layout& layout) {
  std::vector<ElementPlace> all(to_size(product(layout.shape())));
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const std::vector<std::int64_t> numbers = numbers_by_address(layout, rank);
    for (std::size_t address = 0; address < numbers.size(); ++address) {
      ElementPlace& place = all[to_size(numbers[address])];
      EXPECT_EQ(place.rank, -1) << "element " << numbers[address] << " has two owners";
      place = {rank, static_cast<std::int64_t>(address)};
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_GE(all[i].rank, 0) << "element " << i << " has no owner";
  return all;
}

inline std::string text(const Shape& shape) {
  std::string result;
  for (const std::int64_t n : shape) result += (result.empty() ? "" : "x") + std::to_string(n);
  return result;
}

}  // namespace shardfft::test
