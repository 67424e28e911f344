#pragma once
// Arrays whose every element says which one it is, with poison where nothing may be written.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/elements.hpp"

namespace shardfft::test {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte poison{0xCB};

/// Fills one element of `bytes` bytes from its number in the array and `salt`, which tells runs apart.
inline void encode(std::byte* element, std::size_t bytes, std::int64_t number, std::uint32_t salt) {
  const auto n = static_cast<std::uint64_t>(number);
  const std::uint64_t words[2] = {n * 0x9E3779B97F4A7C15ULL + salt, ~n - salt};
  const auto word = static_cast<std::uint32_t>(n * 16 + salt);
  std::memcpy(element, bytes == 4 ? static_cast<const void*>(&word) : words, bytes);
}

/// A rank's array and a guard behind it.
inline std::vector<std::byte> encoded(const Layout& layout, int rank, std::size_t element, std::uint32_t salt) {
  std::vector<std::byte> array(to_size(layout.count(rank)) * element + guard_bytes, poison);
  for (const Piece& piece : layout.pieces(rank))
    for_elements(piece, [&](std::int64_t address, const Index& index) {
      encode(array.data() + to_size(address) * element, element, number_of(index, layout.shape()), salt);
    });
  return array;
}

inline std::vector<std::byte> poisoned(const Layout& layout, int rank, std::size_t element) {
  return std::vector<std::byte>(to_size(layout.count(rank)) * element + guard_bytes, poison);
}

/// Index of the first element that differs (count: the guard), or -1.
inline std::int64_t first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b,
                                     std::size_t element) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return static_cast<std::int64_t>(i / element);
  return -1;
}

}  // namespace shardfft::test
