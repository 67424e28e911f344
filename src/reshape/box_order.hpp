#pragma once
// Runs of the elements of boxes in packed order, for boxes whose packed order is the order of memory.
#include "geometry/schedule.hpp"

namespace shardfft {

/// Whether a walk over the box, in packed order, never goes back in memory.
bool in_memory_order(const Box& box);
/// Where element `i` of the box lies, in packed order.
std::int64_t place_in(const Box& box, std::int64_t i);
/// How many elements of a box in memory order lie before `place`.
std::int64_t elements_before(const Box& box, std::int64_t place);

}  // namespace shardfft
