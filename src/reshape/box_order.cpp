#include "reshape/box_order.hpp"

#include <algorithm>

namespace shardfft {

namespace {

/// Index `i` of the box's slowest axis.
Box inside(const Box& box, std::int64_t i) {
  Box inner;
  inner.axes = box.axes - 1;
  inner.offset = box.offset + i * box.stride[0];
  std::copy_n(box.count.begin() + 1, inner.axes, inner.count.begin());
  std::copy_n(box.stride.begin() + 1, inner.axes, inner.stride.begin());
  return inner;
}

void add_part(const Box& box, std::int64_t begin, std::int64_t end, std::vector<Box>& parts) {
  if (begin >= end) return;
  if (begin == 0 && end == box.elements()) {
    parts.push_back(box);
    return;
  }
  const std::int64_t inner = box.elements() / box.count[0];
  const std::int64_t first = begin / inner, last = end / inner;
  if (first == last) return add_part(inside(box, first), begin % inner, end % inner, parts);
  const std::int64_t first_whole = begin % inner == 0 ? first : first + 1;
  if (first_whole != first) add_part(inside(box, first), begin % inner, inner, parts);
  if (first_whole < last) {
    Box whole = last - first_whole == 1 ? inside(box, first_whole) : box;
    if (last - first_whole > 1) {
      whole.offset += first_whole * box.stride[0];
      whole.count[0] = last - first_whole;
    }
    parts.push_back(whole);
  }
  if (end % inner != 0) add_part(inside(box, last), 0, end % inner, parts);
}

}  // namespace

bool in_memory_order(const Box& box) {
  std::int64_t extent = 0;
  for (auto a = static_cast<std::size_t>(box.axes); a-- > 0;) {
    if (box.stride[a] <= extent) return false;
    extent += (box.count[a] - 1) * box.stride[a];
  }
  return true;
}

std::int64_t place_in(const Box& box, std::int64_t i) {
  std::int64_t place = box.offset;
  for (auto a = static_cast<std::size_t>(box.axes); a-- > 0;) {
    place += i % box.count[a] * box.stride[a];
    i /= box.count[a];
  }
  return place;
}

std::int64_t elements_before(const Box& box, std::int64_t place) {
  std::int64_t left = place - box.offset;
  if (left <= 0) return 0;
  std::int64_t inner = box.elements(), sum = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a) {
    inner /= box.count[a];
    const std::int64_t whole = (left - 1) / box.stride[a];  // others begin before the place, but need not end there
    if (whole >= box.count[a]) return sum + box.count[a] * inner;
    sum += whole * inner;
    left -= whole * box.stride[a];
  }
  return sum + 1;
}

std::vector<Box> part_of(const Box& box, std::int64_t begin, std::int64_t end) {
  std::vector<Box> parts;
  add_part(box, begin, end, parts);
  return parts;
}

}  // namespace shardfft
