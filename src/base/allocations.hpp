#pragma once
// The most memory of this library's own that a thread has during a piece of work.
#include <cstddef>
#include <cstdint>

namespace shardfft {

/// Counts memory that this thread was given; negative: that it gives back.
void count_allocation(std::int64_t bytes);

/// The most memory that allocate_aligned() and windows give this thread during this object's life, above the amount
/// before.
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
