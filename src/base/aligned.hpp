#pragma once
// Aligned, uninitialised memory with an owner.
#include <cstddef>
#include <memory>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "base/round_up.hpp"

namespace shardfft {

inline constexpr std::size_t cache_line = 64;

/// Gives memory back to its source.
struct Release {
  MemorySource* source = nullptr;
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const;
};
/// Becomes a std::shared_ptr<void> when it is given to users.
using AlignedMemory = std::unique_ptr<std::byte, Release>;

/// Whether large blocks are asked for in huge pages, which are committed whole when one byte of them is touched.
enum class Pages { huge, small };

/// Allocates from the installed MemorySource, or the heap, one byte at least, aligned to a cache line, or for large
/// blocks to huge pages if the kernel has any. Throws Error(out_of_memory).
AlignedMemory allocate_aligned(std::size_t bytes, Pages pages = Pages::huge);

}  // namespace shardfft
