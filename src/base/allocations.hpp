#pragma once
// How much memory of this library's own a thread has at most while it does something.
#include <cstddef>
#include <cstdint>

namespace shardfft {

/// Tells of memory that this thread was given, or of less than nothing that it gives back.
void count_allocation(std::int64_t bytes);

/// What allocate_aligned() and windows give this thread while this lives, above what it had before.
class MostAllocated {
 public:
  MostAllocated();
  ~MostAllocated();
  MostAllocated(const MostAllocated&) = delete;
  MostAllocated& operator=(const MostAllocated&) = delete;
  std::size_t bytes() const;

 private:
  std::int64_t before_, most_before_;
};

}  // namespace shardfft
