#pragma once
// Host memory that is unmapped and mapped anew at the same address.
#include <sys/mman.h>

#include "gpu/group_kit.hpp"
#include "gpu/run/mapping_watch.hpp"

namespace shardfft::test {

/// Pages at an address of their own, or at one that was used before.
class Pages {
 public:
  explicit Pages(std::size_t bytes, void* at = nullptr)
      : bytes_(bytes),
        memory_(mmap(at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED_NOREPLACE), -1, 0)) {}
  ~Pages() { munmap(memory_, bytes_); }
  void* data() const { return memory_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Of 16^3 complex numbers.
inline constexpr std::size_t page_bytes = std::size_t{16} << 12;

inline bool kernel_tells() {
  const Pages pages(page_bytes);
  std::memset(pages.data(), 1, page_bytes);
  const gpu::MappingWatch watch(pages.data(), page_bytes);
  return madvise(pages.data(), 4096, MADV_COLD) != 0;
}

}  // namespace shardfft::test
