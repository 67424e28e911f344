#pragma once
// A copy between two boxes as calls of the copy engines, which move slices of rows of bytes.
#include <optional>
#include <vector>

#include "device/runtime.hpp"
#include "geometry/schedule.hpp"

namespace shardfft::gpu {

/// The calls for one box: `shape` (with null bases) once at each pair of offsets, in bytes.
struct EngineCopies {
  struct Offsets {
    std::int64_t from, to;
  };
  device::BoxCopy shape{};
  std::vector<Offsets> offsets;
  std::size_t bytes() const { return shape.bytes * shape.rows * shape.slices; }
};

/// Returns none if no run of elements is contiguous on both sides, or if the copy takes more than `most_calls` calls.
/// `gap`: unused bytes behind each row on both sides, which may be copied too.
std::optional<EngineCopies> engine_copies(const LocalCopy& boxes, std::size_t element_bytes, std::int64_t most_calls,
                                          std::int64_t gap = 0);

}  // namespace shardfft::gpu
