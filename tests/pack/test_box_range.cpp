// Ranges of the packed order of boxes.
#include <gtest/gtest.h>

#include "geometry/box_range.hpp"
#include "random_boxes.hpp"

namespace shardfft::kit {
namespace {

std::vector<std::int64_t> offsets(const std::vector<Box>& boxes) {
  std::vector<std::int64_t> all;
  for (const Box& box : boxes)
    for (std::int64_t i = 0; i < box.elements(); ++i) all.push_back(offset_of(box, i));
  return all;
}

TEST(BoxRange, HoldsItsElementsInOrder) {
  Random random(20);
  for (int trial = 0; trial < 2000 && !testing::Test::HasFailure(); ++trial) {
    std::vector<Box> boxes(static_cast<std::size_t>(pick(random, 1, 3)));
    for (Box& box : boxes) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(pick(random, 0, 4)));
      for (std::int64_t& count : counts) count = pick(random, 1, 6);
      std::int64_t extent = 0;
      box = place(random, counts, true, true, true, extent);
    }
    const std::vector<std::int64_t> all = offsets(boxes);
    const std::int64_t begin = pick(random, 0, static_cast<std::int64_t>(all.size()));
    const std::int64_t end = pick(random, begin, static_cast<std::int64_t>(all.size()));
    EXPECT_EQ(offsets(box_range(boxes, begin, end)), std::vector(all.begin() + begin, all.begin() + end))
        << "[" << begin << ", " << end << ") in trial " << trial;
  }
}

/// A range is few boxes: of each axis a part at either end, and what is whole in between.
TEST(BoxRange, IsFewBoxes) {
  const Box box{3, 0, {40, 50, 60}, {3000, 60, 1}};
  EXPECT_EQ(box_range({box}, 0, box.elements()).size(), 1u);
  EXPECT_EQ(box_range({box}, 3000, 9000).size(), 1u);
  EXPECT_LE(box_range({box}, 3061, 100001).size(), 5u);
}

}  // namespace
}  // namespace shardfft::kit
