#include "base/aligned.hpp"

#include <sys/mman.h>

namespace shardfft {

AlignedMemory allocate_aligned(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const bool large = bytes >= 2 * huge_page;
  const std::size_t alignment = large ? huge_page : cache_line;
  const std::size_t size = round_up(bytes == 0 ? 1 : bytes, alignment);
  void* memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) fail(Status::out_of_memory, "cannot allocate ", size, " bytes");
  if (large) madvise(memory, size, MADV_HUGEPAGE);  // advice only: a refusal costs nothing but speed
  return AlignedMemory(static_cast<std::byte*>(memory));
}

}  // namespace shardfft
