#pragma once
// Memory for users' arrays.
#include <cstddef>
#include <memory>
#include <utility>

namespace shardfft {

/// Memory that a plan or redistribution allocated, on the host or on a GPU. It may outlive the plan, and is freed with
/// the last copy of the Buffer; memory that ranks share only when all of them have dropped theirs, and the plan ends or
/// allocates again.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<void> memory, std::size_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}
  void* data() const { return memory_.get(); }  ///< The first byte; null for an empty Buffer.
  /// The first byte as a T, which need not be the type of the plan's numbers.
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_.get());
  }
  std::size_t bytes() const { return bytes_; }  ///< The size of the memory.

 private:
  std::shared_ptr<void> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace shardfft
