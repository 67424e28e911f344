#pragma once
// Checks the arrays of a call against its needs, as far as the types of the arguments say.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shardfft/typed_array.hpp"

namespace shardfft {

/// An array that a member's calls need. Elements without a type are only moved: any type of their size will do.
struct NeededArray {
  std::int64_t count = 0;
  std::size_t element_bytes = 0;
  std::optional<ElementType> type{};

  std::size_t bytes() const { return static_cast<std::size_t>(count) * element_bytes; }
};

/// An array, as a call gave it, and the needed one.
struct CallArray {
  const void* data;
  const detail::ArrayFacts& facts;
  const NeededArray& needed;
};

/// Throws Error(invalid_argument) for null pointers, wrong element types, addresses that numbers of their type cannot
/// have unless they may have `any_address`, arrays that are too short, and arrays that overlap in part, or overlap the
/// caller's workspace.
void check_arrays(const CallArray& in, const CallArray& out, bool any_address, std::span<const std::byte> workspace);

/// Whether two arrays of these bytes share none.
bool are_apart(const void* one, std::size_t bytes, const void* another, std::size_t its_bytes);

}  // namespace shardfft
