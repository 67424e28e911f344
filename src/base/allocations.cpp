#include "base/allocations.hpp"

#include <algorithm>

namespace shardfft {

namespace {

struct Allocated {
  std::int64_t now = 0, most = 0;
};
thread_local Allocated allocated;

}  // namespace

void count_allocation(std::int64_t bytes) {
  allocated.now += bytes;
  allocated.most = std::max(allocated.most, allocated.now);
}

MostAllocated::MostAllocated() : before_(allocated.now), most_before_(allocated.most) { allocated.most = before_; }
MostAllocated::~MostAllocated() { allocated.most = std::max(allocated.most, most_before_); }
std::size_t MostAllocated::bytes() const { return static_cast<std::size_t>(allocated.most - before_); }

}  // namespace shardfft
