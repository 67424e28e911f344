#pragma once
// The buffers of a workspace: how large each is, and where it lies.
#include <algorithm>
#include <cstddef>
#include <map>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "lower/stretch.hpp"

namespace shardfft {

/// Slots of one piece of memory, one behind the other. A slot that is asked for several times has the largest size.
class Buffers {
 public:
  explicit Buffers(std::size_t alignment) : alignment_(alignment) {}
  void clear() { bytes_.clear(); }
  void grow(Slot slot, std::size_t bytes) {
    std::size_t& most = bytes_[slot];
    most = std::max(most, round_up(bytes, alignment_));
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& [slot, bytes] : bytes_) sum += bytes;
    return sum;
  }
  bool has(Slot slot) const {
    const auto found = bytes_.find(slot);
    return found != bytes_.end() && found->second > 0;
  }
  /// Where the slot is in `memory`, which holds all of them; null where it has no bytes.
  std::byte* at(Slot slot, std::byte* memory) const {
    if (!has(slot)) return nullptr;
    for (auto other = bytes_.begin(); other->first != slot; ++other) memory += other->second;
    return memory;
  }

 private:
  std::size_t alignment_;
  std::map<Slot, std::size_t> bytes_;
};

/// Throws Error unless the user's memory can be the workspace of a plan that needs so many bytes.
inline void check_workspace(const std::byte* memory, std::size_t bytes, std::size_t needed, std::size_t alignment) {
  require(bytes >= needed, "the workspace has ", bytes, " bytes, the plan needs ", needed);
  require(memory != nullptr || needed == 0, "the workspace is a null pointer");
  require(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0, "the workspace must be aligned to ", alignment,
          " bytes");
}

}  // namespace shardfft
