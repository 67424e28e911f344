// The rows of boxes, as those who read ahead take them.
#include <gtest/gtest.h>

#include <set>

#include "verify/box_rows.hpp"

namespace shardfft::test {
namespace {

using Lines = std::set<std::uintptr_t>;

constexpr std::uintptr_t line_bytes = ReadAhead::line_bytes;

/// The lines of cache of all elements.
Lines lines_of(const std::byte* array, const Box& box, std::int64_t offset, std::size_t element_bytes) {
  Lines lines;
  const auto add = [&](auto&& self, int axis, std::int64_t at) -> void {
    if (axis == box.axes) {
      const auto first = reinterpret_cast<std::uintptr_t>(array) + static_cast<std::size_t>(at) * element_bytes;
      for (std::uintptr_t byte = 0; byte < element_bytes; ++byte) lines.insert((first + byte) / line_bytes);
      return;
    }
    const auto a = static_cast<std::size_t>(axis);
    for (std::int64_t i = 0; i < box.count[a]; ++i) self(self, axis + 1, at + i * box.stride[a]);
  };
  add(add, 0, box.offset + offset);
  return lines;
}

/// All that is taken, so many lines at a time, for a price.
Lines taken(BoxRows& rows, int lines, int most) {
  Lines all;
  while (rows.next != nullptr) {
    const ReadAhead::CacheLines part = rows.take(lines, most);
    EXPECT_LE(part.lines, most);
    for (int i = 0; i < part.lines; ++i)
      all.insert(reinterpret_cast<std::uintptr_t>(part.at) / line_bytes + static_cast<std::uintptr_t>(i));
  }
  return all;
}

Box box_of(std::vector<std::int64_t> counts, std::vector<std::int64_t> strides, std::int64_t offset) {
  Box box;
  box.axes = static_cast<int>(counts.size());
  box.offset = offset;
  std::copy(counts.begin(), counts.end(), box.count.begin());
  std::copy(strides.begin(), strides.end(), box.stride.begin());
  return box;
}

TEST(BoxRows, TakesAllLinesOfAllBoxes) {
  alignas(line_bytes) static std::byte array[1 << 16], other[1 << 16];
  const Box boxes[] = {
      box_of({5, 7, 30}, {400, 40, 1}, 3),  // rows that are no whole lines
      box_of({40, 3}, {1, 200}, 0),         // rows along the first axis
      box_of({4, 5}, {9, 100}, 1),          // elements apart
      box_of({}, {}, 17),                   // one element
  };
  for (const std::size_t element : {4, 8, 16})
    for (const int most : {1, 3, 16}) {
      Lines wanted;
      BoxRows rows(element, 1);
      for (const Box& box : boxes) {
        rows.add(array, box, 2);
        rows.add(nullptr, box, 0);
        rows.add(other, box, 0);
        wanted.merge(lines_of(array, box, 2, element));
        wanted.merge(lines_of(other, box, 0, element));
      }
      EXPECT_EQ(taken(rows, 5, most), wanted) << element << " bytes, " << most << " at most";
      rows.clear();
      EXPECT_EQ(rows.take(100, 100).lines, 0);
      rows.add(other, boxes[0], 1);
      EXPECT_EQ(taken(rows, 5, most), lines_of(other, boxes[0], 1, element)) << "again";
    }
}

TEST(BoxRows, ShareAndPassesSpreadTheLines) {
  alignas(line_bytes) static std::byte array[1 << 14];
  const Box box = Box::run(0, 1024);  // 256 lines
  BoxRows rows(16, 2);
  rows.add(array, box, 0);
  rows.passes = 3;
  int lines = 0;
  for (int computed = 0; computed < 600; computed += 10) lines += rows.take(10, 16).lines;
  EXPECT_EQ(lines, 100);
}

TEST(BoxRows, NothingToTake) {
  ReadAhead nothing;
  const char cached[1] = {};
  nothing.idle = cached;
  EXPECT_EQ(nothing.take(1000, 16).lines, 0);
  EXPECT_EQ(nothing.take(1000, 16).at, cached);
}

}  // namespace
}  // namespace shardfft::test
