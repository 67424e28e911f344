#pragma once
// Plans on GPUs with the least workspace: right, and with no more beside the array than is promised.
#include <gtest/gtest.h>

#include "support/device_check.hpp"

namespace shardfft::test {

inline Options least_on_gpu(const std::string& algorithm = "auto", const std::string& exchange = "auto") {
  Options o = on_gpu(algorithm);
  o.exchange = exchange;
  o.workspace = Workspace::least;
  return o;
}

/// `largest`: the largest array of any rank.
inline void expect_least(const Plan& plan, double largest) {
  const PlanReport report = plan.report();
  const auto all = static_cast<double>(report.workspace_bytes + report.library_bytes + report.table_bytes);
  EXPECT_LE(all, 0.05 * largest + (2 << 20)) << report;
}

/// Shapes, layouts, kinds and algorithms that have steps of all sorts; equal parts, unequal ones, and none.
inline std::vector<TransformCase> least_cases(const std::string& exchange = "auto") {
  std::vector<TransformCase> cases;
  for (const std::string algorithm : {"slab", "pencil", "brick"})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
      for (const Shape& shape : {Shape{8, 8, 8}, Shape{7, 9, 10}, Shape{3, 4, 5}}) {
        const Precision precision = shape.front() == 7 ? Precision::f32 : Precision::f64;
        cases.push_back({shape, "slab", "left", kind, precision, least_on_gpu(algorithm, exchange)});
      }
  for (const char* input : {"brick", "uneven"})
    cases.push_back({{9, 8, 6}, input, "natural", Kind::r2c, Precision::f64, least_on_gpu("auto", exchange)});
  TransformCase batch{{6, 8, 5}, "slab", "left", Kind::r2c, Precision::f64, least_on_gpu("slab", exchange)};
  batch.options.batch = 3;
  cases.push_back(batch);
  TransformCase walls{{9, 8, 6}, "slab", "left", Kind::r2c, Precision::f64, least_on_gpu("auto", exchange)};
  walls.options.transforms = {AxisTransform::dct2, AxisTransform::dst1, AxisTransform::fft};
  cases.push_back(walls);
  walls.kind = Kind::c2c;
  walls.options.transforms = {AxisTransform::fft, AxisTransform::dct1, AxisTransform::fft};
  cases.push_back(walls);
  return cases;
}

}  // namespace shardfft::test
