#pragma once
// Copies between strided boxes, the only code that touches elements outside the FFT libraries.
#include <cstddef>
#include <vector>

#include "geometry/schedule.hpp"

namespace shardfft {

/// Copies `from` in `source` to `to` in `destination`; both boxes have the same element count and walk it in the same
/// order, but may merge their axes differently. Tiled where both sides' fastest axes differ. `threads` OpenMP threads.
void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, int threads = 1);

/// copy_box that writes long runs past the cache.
void stream_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
                std::size_t element_bytes);

/// Plain bytes, from one place to another.
void copy_bytes(const std::byte* source, std::byte* destination, std::size_t bytes);

/// Boxes of `array` one behind the other into `run`.
void pack_boxes(const std::byte* array, const std::vector<Box>& boxes, std::byte* run, std::size_t element_bytes,
                int threads = 1);
/// The way back.
void unpack_boxes(const std::byte* run, const std::vector<Box>& boxes, std::byte* array, std::size_t element_bytes,
                  int threads = 1);

}  // namespace shardfft
