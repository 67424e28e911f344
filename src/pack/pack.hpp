#pragma once
// Copies between strided boxes.
#include <cstddef>
#include <vector>

#include "geometry/schedule.hpp"

namespace shardfft {

/// Copies `from` in `source` to `to` in `destination`. Both boxes walk equally many elements in the same order, but may
/// merge their axes differently. Copies in tiles if the fastest axes of both differ. `threads` OpenMP threads.
void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, int threads = 1);

/// Like copy_box, but writes long runs past the cache.
void stream_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
                std::size_t element_bytes);

/// Copies plain bytes.
void copy_bytes(const std::byte* source, std::byte* destination, std::size_t bytes);

/// Copies boxes of `array` one behind the other into `run`.
void pack_boxes(const std::byte* array, const std::vector<Box>& boxes, std::byte* run, std::size_t element_bytes,
                int threads = 1);
/// The way back.
void unpack_boxes(const std::byte* run, const std::vector<Box>& boxes, std::byte* array, std::size_t element_bytes,
                  int threads = 1);

}  // namespace shardfft
