#include "reshape/box_order.hpp"

namespace shardfft {

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

}  // namespace shardfft
