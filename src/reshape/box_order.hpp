#pragma once
// Runs of the elements of boxes in packed order, for boxes whose packed order is the order of memory.
#include "geometry/schedule.hpp"

namespace shardfft {

/// Whether a walk over the box, in packed order, never goes back in memory.
bool in_memory_order(const Box& box);
/// The place of element `i` of the box, counted in packed order.
std::int64_t place_in(const Box& box, std::int64_t i);
/// The number of elements before `place`, of a box in memory order.
std::int64_t elements_before(const Box& box, std::int64_t place);

}  // namespace shardfft
