#pragma once
// Arrays of elements of any size, each byte told by the number of its element.
#include <gtest/gtest.h>

#include "shardfft/redistribution.hpp"
#include "support/transform_check.hpp"

namespace shardfft::test {

/// Byte `b` of the element with this number.
inline std::byte byte_of(std::int64_t number, std::size_t b) {
  return static_cast<std::byte>(static_cast<std::uint64_t>(noise(1, static_cast<std::uint64_t>(number), b) * 1e6) &
                                255);
}

/// A rank's part of the fields.
inline std::vector<std::byte> encoded_array(const Layout& layout, int rank, std::int64_t fields, std::size_t bytes) {
  const Side side{layout, {}, fields, rank};
  std::vector<std::byte> array(side.size() * bytes);
  for (std::int64_t f = 0; f < fields; ++f)
    for_own_elements(side, f, [&](std::int64_t at, std::int64_t i) {
      for (std::size_t b = 0; b < bytes; ++b) array[to_size(at) * bytes + b] = byte_of(i + 1000 * f, b);
    });
  return array;
}

}  // namespace shardfft::test
