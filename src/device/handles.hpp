#pragma once
// Owners of runtime handles: each destroys its handle.
#include <utility>

#include "base/succeeds.hpp"
#include "device/runtime.hpp"

namespace shardfft::device {

/// Makes `device` current for a scope.
class DeviceScope {
 public:
  explicit DeviceScope(int device) : before_(current_device()) {
    if (device != before_) set_device(device);
  }
  /// A device that has failed must not end the program here.
  ~DeviceScope() {
    succeeds([this] {
      if (current_device() != before_) set_device(before_);
    });
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_;
};

/// A handle and the function that destroys it.
template <void (*Destroy)(void*) noexcept>
class Owned {
 public:
  Owned() = default;
  explicit Owned(void* handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) Destroy(handle_);
  }
  void* get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  void* handle_ = nullptr;
};

using Memory = Owned<release>;
using PinnedMemory = Owned<release_pinned>;
using ImportedMemory = Owned<close_memory>;
using Stream = Owned<destroy_stream>;
using Event = Owned<destroy_event>;
using Graph = Owned<destroy_graph>;

inline Memory make_memory(std::size_t bytes, Sharing sharing = Sharing::ipc) {
  return Memory(allocate(bytes, sharing));
}
inline PinnedMemory make_pinned_memory(std::size_t bytes) { return PinnedMemory(allocate_pinned(bytes)); }
inline Stream make_stream() { return Stream(create_stream()); }
inline Event make_event(EventUse use = EventUse::order) { return Event(create_event(use)); }

}  // namespace shardfft::device
