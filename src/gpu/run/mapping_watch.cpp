#include "gpu/run/mapping_watch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/page_size.hpp"

namespace shardfft::gpu {

namespace {

enum class Page { locked, unlocked, missing };

/// The kernel refuses this advice, which changes no byte, for locked pages only.
Page look_at(void* page) {
  if (madvise(page, page_size(), MADV_COLD) == 0) return Page::unlocked;
  return errno == EINVAL ? Page::locked : Page::missing;
}

}  // namespace

MappingWatch::MappingWatch(void* memory, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  for (const std::uintptr_t byte : {first, first + bytes - 1}) {
    void* const page = reinterpret_cast<void*>(byte / page_size() * page_size());
    if (!pages_.empty() && pages_.front() == page) continue;
    if (look_at(page) != Page::unlocked || mlock(page, page_size()) != 0) continue;
    if (look_at(page) == Page::locked)
      pages_.push_back(page);
    else
      munlock(page, page_size());
  }
}

MappingWatch::~MappingWatch() {
  for (void* const page : pages_)
    if (look_at(page) == Page::locked) munlock(page, page_size());
}

bool MappingWatch::there() const {
  return std::all_of(pages_.begin(), pages_.end(), [](void* page) { return look_at(page) == Page::locked; });
}

}  // namespace shardfft::gpu
