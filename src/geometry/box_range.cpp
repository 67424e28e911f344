#include "geometry/box_range.hpp"

#include <algorithm>

namespace shardfft {

namespace {

/// The axes of a box from `axis` on, at `offset`.
struct Tail {
  const Box& box;
  int axis;
  std::int64_t offset;

  std::int64_t count() const { return box.count[static_cast<std::size_t>(axis)]; }
  std::int64_t stride() const { return box.stride[static_cast<std::size_t>(axis)]; }
  /// Elements at one index of the axis.
  std::int64_t inner() const {
    std::int64_t product = 1;
    for (auto a = static_cast<std::size_t>(axis) + 1; a < static_cast<std::size_t>(box.axes); ++a)
      product *= box.count[a];
    return product;
  }
  Tail at(std::int64_t index) const { return {box, axis + 1, offset + index * stride()}; }
  /// All elements whose index along the first axis is in [first, last).
  Box slab(std::int64_t first, std::int64_t last) const {
    Box part;
    part.offset = offset + first * stride();
    for (int a = last - first == 1 ? axis + 1 : axis; a < box.axes; ++a) {
      part.count[static_cast<std::size_t>(part.axes)] =
          a == axis ? last - first : box.count[static_cast<std::size_t>(a)];
      part.stride[static_cast<std::size_t>(part.axes++)] = box.stride[static_cast<std::size_t>(a)];
    }
    return part;
  }
};

/// Appends up to three parts: the end of an index, whole indices, the beginning of an index.
void append(const Tail& tail, std::int64_t begin, std::int64_t end, std::vector<Box>& parts) {
  if (begin == end) return;
  if (tail.axis == tail.box.axes) {
    parts.push_back(Box::run(tail.offset, 1));
    return;
  }
  const std::int64_t inner = tail.inner(), first = (begin + inner - 1) / inner, last = end / inner;
  if (first > last) {  // inside one index
    append(tail.at(last), begin - last * inner, end - last * inner, parts);
    return;
  }
  if (begin < first * inner) append(tail.at(first - 1), begin - (first - 1) * inner, inner, parts);
  if (first < last) parts.push_back(tail.slab(first, last));
  append(tail.at(last), 0, end - last * inner, parts);
}

}  // namespace

std::vector<Box> box_range(const std::vector<Box>& boxes, std::int64_t begin, std::int64_t end) {
  std::vector<Box> parts;
  std::int64_t passed = 0;
  for (const Box& box : boxes) {
    const std::int64_t elements = box.elements();
    const std::int64_t low = std::max(begin - passed, std::int64_t{0}), high = std::min(end - passed, elements);
    if (low < high) append({box, 0, box.offset}, low, high, parts);
    passed += elements;
  }
  return parts;
}

}  // namespace shardfft
