#pragma once
// Plans whose passes before a reshape store into the arrays of all owners.
#include <string>
#include <vector>

#include "support/device_check.hpp"

namespace shardfft::test {

/// Lengths that have kernels: lines and planes in front of a reshape, in equal shares and near-equal ones on three
/// ranks. Arrays of several megabytes that are no whole pages are among them.
inline std::vector<TransformCase> stored_cases() {
  std::vector<TransformCase> all;
  const auto add = [&all](const Shape& shape, const char* input, const char* output, Kind kind, Precision precision) {
    all.push_back({shape, input, output, kind, precision, on_gpu()});
  };
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    add({128, 16, 32}, "slab", "left", Kind::c2c, precision);
    add({16, 128, 32}, "slab", "natural", Kind::c2c, precision);
    add({16, 128, 128}, "slab", "left", Kind::c2c, precision);
    add({12, 128, 62}, "slab", "left", Kind::r2c, precision);
    add({128, 12, 62}, "slab", "left", Kind::c2r, precision);
    add({128, 12, 32}, "slab along 1", "left", Kind::c2c, precision);
  }
  add({16, 128, 128}, "slab", "left", Kind::r2c, Precision::f64);
  add({128, 128, 30}, "slab", "left", Kind::c2c, Precision::f64);
  return all;
}

/// How many reshapes of a plan's programs are done by passes that store.
inline int reshapes_by_stores(const Plan& plan) {
  const std::string text = plan.report().to_text(), words = "(stores into the peers)";
  int count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

}  // namespace shardfft::test
