// Box copies as calls of the copy engines: every byte once, by as few calls as the shape allows.
#include <gtest/gtest.h>

#include "gpu/move/box_copies.hpp"
#include "mpi_exchange/layouts.hpp"
#include "pack/pack.hpp"

namespace shardfft::kit {
namespace {

/// What copy engines do.
void run(const gpu::EngineCopies& copies, const std::byte* from, std::byte* to) {
  const device::BoxCopy& shape = copies.shape;
  for (const auto& place : copies.offsets)
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row)
        std::memcpy(to + place.to + slice * shape.to.slice + row * shape.to.pitch,
                    from + place.from + slice * shape.from.slice + row * shape.from.pitch, shape.bytes);
}

/// The rules of pitched copies.
void expect_legal(const device::BoxCopy& shape) {
  for (const device::CopySide& side : {shape.to, shape.from}) {
    EXPECT_GE(side.pitch, shape.bytes);
    EXPECT_EQ(side.slice % side.pitch, 0u);
    EXPECT_GE(side.slice / side.pitch, shape.rows);
  }
}

TEST(BoxCopies, MoveWhatBoxCopiesMove) {
  int by_engines = 0;
  for (int p = 1; p <= 4; ++p)
    for (const Case& c : cases(p))
      for (int r = 0; r < p; ++r)
        for (const LocalCopy& boxes : make_schedule(c.from, c.to, r).self) {
          const auto copies = gpu::engine_copies(boxes, 8, 1 << 20);
          if (!copies) continue;
          expect_legal(copies->shape);
          const auto source = encoded(c.from, r, 8, 5);
          std::vector<std::byte> wanted(encoded(c.to, r, 8, 5).size(), std::byte{poison}), got = wanted;
          copy_box(source.data(), boxes.from, wanted.data(), boxes.to, 8);
          run(*copies, source.data(), got.data());
          EXPECT_EQ(got, wanted) << c.name << " of " << p;
          ++by_engines;
        }
  EXPECT_GT(by_engines, 20);
}

Box box_of(std::int64_t offset, std::vector<std::int64_t> count, std::vector<std::int64_t> stride) {
  Box box;
  box.offset = offset;
  box.axes = static_cast<int>(count.size());
  std::copy(count.begin(), count.end(), box.count.begin());
  std::copy(stride.begin(), stride.end(), box.stride.begin());
  return box;
}

TEST(BoxCopies, SlabsAreOneCall) {
  // Rows y of planes x into the spectrum of their owner: [4][8][16] to [8][3][16].
  const auto copies =
      gpu::engine_copies({box_of(5 * 16, {4, 3, 16}, {128, 16, 1}), box_of(7, {4, 3, 16}, {48, 16, 1})}, 8, 1);
  ASSERT_TRUE(copies);
  ASSERT_EQ(copies->offsets.size(), 1u);
  EXPECT_EQ(copies->offsets[0].from, 5 * 16 * 8);
  EXPECT_EQ(copies->offsets[0].to, 7 * 8);
  EXPECT_EQ(copies->shape.bytes, 3u * 16 * 8);  // rows are merged where both sides have them together
  EXPECT_EQ(copies->shape.rows, 4u);
  EXPECT_EQ(copies->shape.slices, 1u);
}

TEST(BoxCopies, ThreeLoopsAreOneCallWhereSlicesArePitches) {
  const auto copies = gpu::engine_copies({box_of(0, {4, 3, 6}, {128, 16, 1}), box_of(0, {4, 3, 6}, {64, 8, 1})}, 4, 1);
  ASSERT_TRUE(copies);
  EXPECT_EQ(copies->shape.slices, 4u);
  EXPECT_EQ(copies->shape.rows, 3u);
  EXPECT_EQ(copies->shape.bytes, 24u);
}

TEST(BoxCopies, OtherSlicesAreSeveralCalls) {
  const LocalCopy boxes{box_of(0, {4, 3, 6}, {130, 16, 1}), box_of(0, {4, 3, 6}, {64, 8, 1})};
  const auto copies = gpu::engine_copies(boxes, 4, 3);
  ASSERT_TRUE(copies);
  EXPECT_EQ(copies->offsets.size(), 3u);  // the shorter loop is the one outside
  EXPECT_EQ(copies->shape.rows, 4u);
  EXPECT_FALSE(gpu::engine_copies(boxes, 4, 2)) << "three calls are more than two";
}

TEST(BoxCopies, TransposesHaveNoRows) {
  EXPECT_FALSE(gpu::engine_copies({box_of(0, {4, 3}, {1, 4}), box_of(0, {4, 3}, {3, 1})}, 8, 1 << 20));
}

}  // namespace
}  // namespace shardfft::kit
