#pragma once
// Two strided boxes that walk the same elements, as one nest of loops with a stride on each side.
#include <array>
#include <cstdint>

#include "base/hooks.hpp"
#include "geometry/loop.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

/// Loops in any order. Every element is copied once; its addresses are the offsets plus the sums of its strides.
struct LoopNest {
  int depth = 0;
  std::array<Loop, 2 * max_axes> loop{};
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  bool empty = false;

  std::int64_t elements() const;  ///< 0 if `empty`
  /// The part [begin, end) of loop `index`; all other members are equal.
  LoopNest cut(int index, std::int64_t begin, std::int64_t end) const;
};

/// The common refinement of both boxes: loops sorted from the largest destination stride to the smallest, neighbours
/// merged if both sides allow it, loops of one element dropped. Throws Error(internal) if the boxes do not stem from
/// the same axes.
LoopNest common_refinement(const Box& from, const Box& to);

/// The work of reading and writing every element of a nest or a box once.
template <class Elements>
Work copy_work(const Elements& all, std::size_t element_bytes) {
  return {2 * static_cast<double>(all.elements()) * static_cast<double>(element_bytes), 0};
}

}  // namespace shardfft
