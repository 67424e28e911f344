#pragma once
// The requirements on the workspace of a plan.
#include <cstddef>

#include "base/check.hpp"

namespace shardfft {

/// Throws Error unless the user's memory can be the workspace of a plan that needs `needed` bytes.
inline void check_workspace(const std::byte* memory, std::size_t bytes, std::size_t needed, std::size_t alignment) {
  require(bytes >= needed, "the workspace has ", bytes, " bytes, the plan needs ", needed);
  require(memory != nullptr || needed == 0, "the workspace is a null pointer");
  require(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0, "the workspace must be aligned to ", alignment,
          " bytes");
}

}  // namespace shardfft
