#pragma once
// Scratch arrays that concurrent executions of one transform borrow.
#include <mutex>
#include <vector>

#include "base/aligned.hpp"

namespace shardfft {

/// Blocks of one size, allocated when first needed and kept until the pool dies.
class ScratchPool {
 public:
  /// Gives its block back when destroyed.
  class Lease {
   public:
    Lease(const ScratchPool& pool, AlignedMemory memory) : pool_(pool), memory_(std::move(memory)) {}
    ~Lease() { pool_.give_back(std::move(memory_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    void* data() const { return memory_.get(); }

   private:
    const ScratchPool& pool_;
    AlignedMemory memory_;
  };

  explicit ScratchPool(std::size_t bytes) : bytes_(bytes) {}

  Lease take() const {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        AlignedMemory memory = std::move(free_.back());
        free_.pop_back();
        return Lease(*this, std::move(memory));
      }
    }
    return Lease(*this, allocate_aligned(bytes_));
  }

 private:
  void give_back(AlignedMemory memory) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(memory));
  }

  std::size_t bytes_;
  mutable std::mutex mutex_;
  mutable std::vector<AlignedMemory> free_;
};

}  // namespace shardfft
