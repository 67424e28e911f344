#pragma once
// Copies between strided boxes in device memory, coalesced on both sides: the GPU's pack, unpack and permute.
#include <cstddef>

#include "geometry/schedule.hpp"

namespace shardfft::device {

/// Enqueues on `stream`: elements of `from` in `source` go to `to` in `destination`. Both boxes have the same element
/// count and walk it in the same order, but may merge their axes differently. `element_bytes` is 1, 2, 4, 8 or 16.
/// Either side may be memory of a peer or mapped host memory.
void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, void* stream);

}  // namespace shardfft::device
