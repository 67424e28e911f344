#pragma once
// Permutes an array in place, by following the cycles of the permutation: every unit moves once.
#include <cstddef>
#include <cstdint>
#include <functional>

namespace shardfft {

/// Units of `bytes` each, moved bit by bit. place(i) for i in [0, count) is a permutation of them.
struct Units {
  std::int64_t count = 0;
  std::size_t bytes = 16;
  std::function<std::int64_t(std::int64_t)> place;
};

/// Bytes of scratch for the functions below: one bit a unit, and two units.
std::size_t permute_bytes(std::int64_t units, std::size_t unit_bytes);
/// Unit place(i) becomes unit i.
void gather_in_place(std::byte* array, const Units& units, std::byte* scratch);
/// Unit i becomes unit place(i).
void scatter_in_place(std::byte* array, const Units& units, std::byte* scratch);

}  // namespace shardfft
