#pragma once
// Packing with short numbers, and the way back.
#include <vector>

#include "geometry/schedule.hpp"
#include "pack/short_numbers.hpp"

namespace shardfft {

/// Bytes of a message of `elements` elements, which have `element_bytes` each in the array.
std::size_t short_bytes(const ShortNumbers& numbers, std::int64_t elements, std::size_t element_bytes);

/// Copies boxes of `array` one behind the other into `run`, as short numbers. Elements are one number or two.
Loss shorten_boxes(const std::byte* array, const std::vector<Box>& boxes, std::byte* run, std::size_t element_bytes,
                   const ShortNumbers& numbers, int threads = 1);
/// The way back.
void restore_boxes(const std::byte* run, const std::vector<Box>& boxes, std::byte* array, std::size_t element_bytes,
                   const ShortNumbers& numbers, int threads = 1);

}  // namespace shardfft
