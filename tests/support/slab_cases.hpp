#pragma once
// Slabs on GPUs, whose passes and shares differ in what they can do.
#include <vector>

#include "support/device_check.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {

/// Small extents that ranks and chunks do not divide, fewer planes than ranks, lines that have kernels; all types,
/// checked or not.
inline std::vector<TransformCase> small_slabs() {
  std::vector<TransformCase> all;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const char* output : {"left", "natural"})
        for (const Shape& shape : {Shape{8, 13, 12}, Shape{2, 3, 6}, Shape{384, 20, 17}, Shape{16, 128, 34}}) {
          Options options = on_gpu("slab");
          options.chunks = static_cast<int>(all.size() % 7);
          options.verify = all.size() % 5 == 0;
          all.push_back({shape, "slab", output, kind, precision, options});
        }
  return all;
}

/// Lengths that have kernels of lines, and of planes where an array is large: for SmallerGpus. All are transformed as
/// it is chosen and with another norm and chunks, and some are checked. On 2 + k % 3 ranks, with k from 2 on, each row
/// meets the ranks that it names.
inline std::vector<TransformCase> slabs_by_passes() {
  struct Row {
    Shape shape;
    Kind kind;
    Precision precision;
    const char* input = "slab";
  };
  using enum Kind;
  using enum Precision;
  const Row rows[] = {
      {fitting({128, 128, 16}, {128, 128, 8}), c2c, f64},                   // lines
      {fitting({128, 128, 128}, {128, 128, 16}), c2c, f32},                 // planes
      {fitting({128, 130, 128}, {32, 130, 32}), c2c, f64, "slab along 1"},  // planes of the first axis and the last one
      {fitting({96, 240, 110}, {96, 30, 50}), c2c, f64},  // kernels that are compiled when they are needed
      {fitting({60, 264, 180}, {60, 44, 60}), r2c, f64},
      {fitting({384, 384, 16}, {384, 24, 16}), c2c, f64},    // lines whose owners are three ranks, in equal shares
      {fitting({128, 384, 16}, {128, 384, 4}), r2c, f32},    // odd rows
      {fitting({128, 128, 128}, {128, 128, 16}), r2c, f32},  // odd rows, of which three ranks have other shares
      {fitting({128, 130, 128}, {128, 130, 16}), r2c, f32},  // of which two have an odd number
      {fitting({576, 24, 128}, {576, 6, 32}), r2c, f32},     // narrower bundles of odd rows than of even ones
      {fitting({2240, 8, 128}, {2240, 8, 8}), r2c, f32},     // all rows of a plane are one of whole units
      {fitting({3200, 12, 64}, {3200, 6, 8}), r2c, f32},     // x lines that leave no room for odd rows
      {fitting({128, 128, 21}, {128, 128, 5}), c2c, f64},    // rows that straddle sectors of memory
      {fitting({128, 128, 17}, {128, 128, 5}), c2c, f32},    // and begin within units of 16 bytes
      {fitting({4, 1400, 300}, {4, 440, 76}), c2c, f32},     // few long planes
  };
  std::vector<TransformCase> all;
  for (const Row& row : rows)
    for (const bool asked : {false, true}) {
      Options options = on_gpu();
      if (asked) options.chunks = 2 + static_cast<int>(all.size() % 2);
      options.norm = asked ? Norm::ortho : Norm::backward;
      options.verify = all.size() % 3 == 1;
      all.push_back({row.shape, row.input, "left", row.kind, row.precision, options});
    }
  return all;
}

}  // namespace shardfft::test
