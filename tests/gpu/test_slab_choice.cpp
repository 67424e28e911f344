// How slabs are cut where nobody said it: by the number of GPUs and the bytes of planes of each.
#include <gtest/gtest.h>

#include "gpu/slab/slab_shape.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {
namespace {

/// Cubes of n points in double precision, complex ones unless `real`.
SlabShape cube(std::int64_t n, int ranks, bool real = false) {
  SlabShape shape;
  shape.transform = {real ? Kind::r2c : Kind::c2c, Precision::f64};
  shape.nx = shape.ny = shape.nz = n;
  shape.ranks = ranks;
  return shape;
}

using Parts = std::vector<double>;

TEST(SlabChoice, ByBytesOfPlanes) {
  struct Row {
    std::int64_t n;
    int ranks, chunks;
    Parts parts;
    bool paired;
  };
  const Row rows[] = {
      {128, 2, 1, {1}, false},                           // 16 MiB a GPU
      {256, 2, 4, {1}, false},                           // 128 MiB
      {512, 2, 8, {0.75, 0.25}, false},                  // 1024 MiB
      {768, 2, 8, {0.6875, 0.25, 0.0625}, false},        // 3456 MiB
      {256, 4, 1, {1}, false},                           // 64 MiB
      {512, 4, 2, {0.75, 0.25}, true},                   // 512 MiB
      {768, 4, 6, {0.5, 0.375, 0.125}, true},            // 1728 MiB
      {1024, 4, 6, {0.75, 0.1875, 0.0625}, true},        // 4096 MiB
      {1536, 4, 6, {0.5, 0.3125, 0.125, 0.0625}, true},  // 13824 MiB
      {1024, 1, 1, {1}, false},                          // nothing to overlap
  };
  for (const Row& row : rows) {
    const SlabOptions made = chosen({}, cube(row.n, row.ranks));
    EXPECT_EQ(made.chunks, row.chunks) << row.n << " on " << row.ranks;
    EXPECT_EQ(made.parts, row.parts) << row.n << " on " << row.ranks;
    EXPECT_EQ(made.paired, row.paired) << row.n << " on " << row.ranks;
  }
}

TEST(SlabChoice, RealSlabsHaveTwoPartsIfAny) {
  EXPECT_EQ(chosen({}, cube(1536, 4, true)).parts, (Parts{0.75, 0.25}));
  EXPECT_EQ(chosen({}, cube(128, 4, true)).parts, Parts{1});
}

TEST(SlabChoice, WhatUsersSaidStays) {
  SlabOptions said;
  said.chunks = 3;
  said.parts = {0.5, 0.5};
  said.paired = false;
  const SlabOptions made = chosen(said, cube(1024, 4));
  EXPECT_EQ(made.chunks, 3);
  EXPECT_EQ(made.parts, (Parts{0.5, 0.5}));
  EXPECT_EQ(made.paired, false);
}

TEST(SlabChoice, StoresAreNotCut) {
  SlabOptions said;
  said.stores = true;
  const SlabOptions made = chosen(said, cube(1024, 2));
  EXPECT_EQ(made.chunks, 1);
  EXPECT_EQ(made.parts, Parts{1});
}

/// A row is found by where it begins, so rows must ascend, and parts are shares of one whole.
TEST(Defaults, RowsOfSlabsAscendAndTheirPartsAreWhole) {
  for (const auto& rows : {peer_gpu_defaults().few_gpus, peer_gpu_defaults().many_gpus}) {
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.front().from_bytes, 0u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) {
        EXPECT_LT(rows[i - 1].from_bytes, rows[i].from_bytes);
      }
      double sum = 0;
      for (const double part : rows[i].parts) sum += part;
      EXPECT_EQ(sum, 1);
      EXPECT_GE(rows[i].most_chunks, 1);
    }
  }
}

}  // namespace
}  // namespace shardfft::gpu
