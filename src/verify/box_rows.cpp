#include "verify/box_rows.hpp"

#include <cstdint>

namespace shardfft {

namespace {

/// The axis along which elements lie one behind the other; -1 if there is none.
int row_axis(const Box& box) {
  for (int a = 0; a < box.axes; ++a)
    if (box.stride[static_cast<std::size_t>(a)] == 1) return a;
  return -1;
}

}  // namespace

void BoxRows::clear() {
  boxes_.clear();
  at = end = nullptr;
  next = nullptr;
  credit = 0;
  box_ = 0;
  index_ = {};
}

void BoxRows::add(const std::byte* array, const Box& box, std::int64_t offset) {
  if (array == nullptr || box.elements() == 0) return;
  boxes_.push_back({array + (box.offset + offset) * element_bytes_, &box});
  next = &take_row;
}

bool BoxRows::take_row() {
  if (box_ == boxes_.size()) return false;
  const auto& [first, box] = boxes_[box_];
  const int along = row_axis(*box);
  std::int64_t offset = 0;
  for (int a = 0; a < box->axes; ++a)
    offset += index_[static_cast<std::size_t>(a)] * box->stride[static_cast<std::size_t>(a)];
  const std::byte* const row = first + offset * element_bytes_;
  const std::int64_t elements = along < 0 ? 1 : box->count[static_cast<std::size_t>(along)];
  at = reinterpret_cast<const char*>(row) - reinterpret_cast<std::uintptr_t>(row) % line_bytes;
  end = reinterpret_cast<const char*>(row + elements * element_bytes_);
  for (int a = box->axes; a-- > 0;) {
    if (a == along) continue;
    if (++index_[static_cast<std::size_t>(a)] < box->count[static_cast<std::size_t>(a)]) return true;
    index_[static_cast<std::size_t>(a)] = 0;
  }
  ++box_;
  return true;
}

}  // namespace shardfft
