#pragma once
// A machine that has too little memory.
#include <cstddef>
#include <cstdlib>

#include "base/hooks.hpp"

namespace shardfft::test {

/// Arrays of `most` bytes at most, and windows where it grants them.
struct NoMemory : MemorySource {
  std::size_t most;
  bool grants_windows;
  explicit NoMemory(std::size_t bytes, bool windows = true) : most(bytes), grants_windows(windows) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return bytes > most ? nullptr : std::aligned_alloc(alignment, bytes);
  }
  void release(void* memory, std::size_t) noexcept override { std::free(memory); }
  bool grant_window(std::size_t) override { return grants_windows; }
};

}  // namespace shardfft::test
