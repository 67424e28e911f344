#pragma once
// Copies between boxes against the definition: element i of one box goes to element i of the other, nothing else moves.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "random_boxes.hpp"

namespace shardfft::kit {

inline constexpr std::byte poison{0xA5};

struct Trial {
  Box from;
  Box to;
  std::int64_t from_extent = 0;
  std::int64_t to_extent = 0;
};

inline std::vector<std::byte> numbered(std::int64_t elements, std::size_t bytes) {
  std::vector<std::byte> array(static_cast<std::size_t>(elements) * bytes);
  for (std::size_t i = 0; i < array.size(); ++i)
    array[i] = static_cast<std::byte>((i / bytes * 2654435761U >> (8 * (i % bytes % 4))) & 0xFF);
  return array;
}

/// copy(source, destination) is to copy t.from to t.to; the destination begins `shift` bytes behind an aligned address.
template <class Copy>
void check_copy(const Trial& t, std::size_t bytes, std::size_t shift, const Copy& copy) {
  const auto source = numbered(t.from_extent, bytes);
  constexpr std::size_t line = 64;
  std::vector<std::byte> memory(static_cast<std::size_t>(t.to_extent) * bytes + shift + 2 * line, poison);
  const std::size_t aligned = line - reinterpret_cast<std::uintptr_t>(memory.data()) % line;
  std::vector<std::byte> wanted = memory;
  for (std::int64_t i = 0; i < t.from.elements(); ++i)
    std::memcpy(wanted.data() + aligned + shift + static_cast<std::size_t>(offset_of(t.to, i)) * bytes,
                source.data() + static_cast<std::size_t>(offset_of(t.from, i)) * bytes, bytes);
  copy(source.data(), memory.data() + aligned + shift);
  ASSERT_TRUE(memory == wanted) << "element size " << bytes << ", shift " << shift;
}

}  // namespace shardfft::kit
