#pragma once
// Sums over arrays in device memory, for checks (option verify), enqueued on a stream of the current device. Each is
// added to the earlier content of the sums, in device memory too.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/schedule.hpp"
#include "pack/line_residual.hpp"
#include "pack/loop_nest.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device {

/// Lines of one array, along one axis or several. Each line has a sum of its numbers, of which each is multiplied by
/// one weight for each axis. The last loops of each list have the least strides.
struct WeightedSums {
  ElementType element;
  std::vector<Loop> units;          ///< over the lines: from elements of the array to sums
  std::vector<Loop> line;           ///< along each: from elements to weights, which follow those of the axis before
  const double* weights = nullptr;  ///< device memory: the real and the imaginary part of each weight

  std::int64_t lines() const { return steps(units); }
  std::int64_t points() const { return steps(line); }

 private:
  static std::int64_t steps(const std::vector<Loop>& loops) {
    std::int64_t count = 1;
    for (const Loop& loop : loops) count *= loop.count;
    return count;
  }
};

/// `sums`: the lines' real parts, then their imaginary ones, then the sums of the squares of the lines' numbers.
/// `bits`: the sum of all bits of the numbers, as words of 32.
void add_weighted(const std::byte* array, const WeightedSums& what, double* sums, std::uint64_t* bits, void* stream);
/// Adds the sum of all bits of a box of elements, whose bytes are a multiple of 4.
void add_bits(const std::byte* array, const Box& box, std::size_t element_bytes, std::uint64_t* sum, void* stream);
/// Adds the number of 32-bit words that differ.
void add_differences(const std::byte* one, const std::byte* other, std::size_t bytes, std::uint64_t* sum, void* stream);
/// `before` and `after`: the sums of `lines` lines of a transform's input and output, as from add_weighted(). Adds the
/// number of comparable lines to result[0]; result[1] becomes the largest line_residual(), a double.
void compare_lines(const double* before, const double* after, std::int64_t lines, const LineLimits& limits,
                   std::uint64_t* result, void* stream);

}  // namespace shardfft::device
