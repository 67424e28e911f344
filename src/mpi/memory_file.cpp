#include "mpi/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/aligned.hpp"
#include "base/available_memory.hpp"
#include "base/clock.hpp"
#include "base/page_size.hpp"

namespace shardfft {

namespace {

/// Reserves memory: a page that could not be had later would end the process. Returns the error, or 0.
int fill(int descriptor, std::size_t first, std::size_t bytes) {
  int status = EINTR;
  while (status == EINTR) status = posix_fallocate(descriptor, static_cast<off_t>(first), static_cast<off_t>(bytes));
  return status;
}

/// Maps at an address aligned to huge pages, if the file can have any. The kernel does so by itself only if files in
/// memory get huge pages unasked.
Mapping map_aligned(int descriptor, std::size_t bytes) {
  const auto [small, huge_page] = page_sizes();
  const std::size_t length = round_up(bytes, small);
  const std::size_t spare = huge_page == 0 || bytes < huge_page ? 0 : huge_page - small;
  void* const found = mmap(nullptr, length + spare, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return {nullptr, Unmap{length}};
  auto* const space = static_cast<std::byte*>(found);
  const std::size_t skipped =
      spare == 0 ? 0 : (huge_page - reinterpret_cast<std::uintptr_t>(space) % huge_page) % huge_page;
  if (skipped > 0) munmap(space, skipped);
  if (spare > skipped) munmap(space + skipped + length, spare - skipped);
  Mapping mapping(space + skipped, Unmap{length});
  if (mmap(mapping.get(), length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
    mapping.reset();
  return mapping;
}

constexpr int collapse = 25;  ///< MADV_COLLAPSE; C libraries that are older than the kernel have no name for it

/// Lays a part of a file that has no memory yet in huge pages, if the kernel (Linux 6.1 and later) gives them on
/// demand. By default no file in memory gets them otherwise. The kernel needs one small page of each first. Parts that
/// it refuses stay without memory. If free memory is in pieces the kernel first moves the pages between them, which may
/// take long: after a while the rest is left out.
void take_huge_pages(int descriptor, std::byte* mapped, std::size_t offset, std::size_t bytes) {
  constexpr double most_seconds = 3;
  const auto [small, huge_page] = page_sizes();
  if (huge_page == 0 || bytes < huge_page) return;
  const std::size_t whole = bytes / huge_page * huge_page;
  const std::size_t at_once = std::max(huge_page, (std::size_t{64} << 20) / huge_page * huge_page);
  const double end = clock_seconds() + most_seconds;
  for (std::size_t at = 0; at < whole && clock_seconds() < end; at += at_once) {
    const std::size_t part = std::min(at_once, whole - at);
    for (std::size_t page = at; page < at + part; page += huge_page)
      if (fill(descriptor, offset + page, small) != 0) return;
    if (madvise(mapped + at, part, collapse) != 0) return;  // refusals cost nothing but speed
  }
}

}  // namespace

void Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

MemoryFile::MemoryFile() : descriptor_(make_file("shardfft")) {}

MemoryFile::MemoryFile(std::size_t bytes, const Proof& proof) : MemoryFile() {
  ticket_ = offer_file(descriptor_, bytes, proof);
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

Mapping MemoryFile::map(const OfferedFile& file, std::size_t bytes) { return map_aligned(file.descriptor(), bytes); }

void MemoryFile::reserve(const OfferedFile& file, std::byte* mapped, std::size_t offset, std::size_t bytes) {
  take_huge_pages(file.descriptor(), mapped, offset, bytes);
  if (const int error = fill(file.descriptor(), offset, bytes); error != 0)
    fail(Status::out_of_memory, "a file in memory has no room: ", std::strerror(error), "; ", memory_room().limit);
}

}  // namespace shardfft
