#pragma once
// Aligned, uninitialised memory with an owner.
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "base/check.hpp"

namespace shardfft {

inline constexpr std::size_t cache_line = 64;

inline std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};
using AlignedMemory = std::unique_ptr<std::byte, FreeDeleter>;

/// At least one byte, aligned to a cache line, or to 2 MiB for large blocks (huge pages are asked for there).
AlignedMemory allocate_aligned(std::size_t bytes);

}  // namespace shardfft
