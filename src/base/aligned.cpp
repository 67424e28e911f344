#include "base/aligned.hpp"

#include <sys/mman.h>

#include <cstdlib>

#include "base/allocations.hpp"
#include "base/available_memory.hpp"
#include "base/page_size.hpp"

namespace shardfft {

void Release::operator()(std::byte* memory) const {
  count_allocation(-static_cast<std::int64_t>(bytes));
  if (source != nullptr)
    source->release(memory, bytes);
  else
    std::free(memory);
}

AlignedMemory allocate_aligned(std::size_t bytes, Pages pages) {
  const std::size_t huge_page = page_sizes().huge;
  const bool huge = pages == Pages::huge && huge_page > 0 && bytes >= 2 * huge_page;
  const std::size_t alignment = huge ? huge_page : cache_line;
  const std::size_t size = round_up(bytes == 0 ? 1 : bytes, alignment);
  MemorySource* const source = installed<MemorySource>();
  void* const memory = source != nullptr ? source->allocate(size, alignment) : std::aligned_alloc(alignment, size);
  if (memory == nullptr) {
    const Room room = address_room();
    const bool limited = source == nullptr && room.bytes < size;
    fail(Status::out_of_memory, "cannot allocate ", size, " bytes", limited ? ": " + room.limit : "");
  }
  count_allocation(static_cast<std::int64_t>(size));
  if (huge) madvise(memory, size, MADV_HUGEPAGE);  // advice only: a refusal costs nothing but speed
  return AlignedMemory(static_cast<std::byte*>(memory), Release{source, size});
}

}  // namespace shardfft
