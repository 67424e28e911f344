#pragma once
// Parts of a message: any range of its packed order as boxes.
#include "geometry/schedule.hpp"

namespace shardfft {

/// The elements [begin, end) of the packed order of `boxes`, as boxes in that order.
std::vector<Box> box_range(const std::vector<Box>& boxes, std::int64_t begin, std::int64_t end);

}  // namespace shardfft
