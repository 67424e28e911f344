#pragma once
// The users' arrays of one member: where they live, and how the device comes to use them (FFT-ECP section 4.2: host,
// registered, managed and device memory).
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "device/handles.hpp"
#include "gpu/run/mapping_watch.hpp"
#include "gpu/team.hpp"
#include "shardfft/options.hpp"

namespace shardfft::gpu {

/// Host memory pinned in place; released with its owner.
class PinnedArray {
 public:
  /// Throws where the system refuses.
  PinnedArray(void* memory, std::size_t bytes)
      : memory_(memory), bytes_(bytes), registration_(memory, bytes), watch_(memory, bytes) {}
  std::size_t bytes() const { return bytes_; }
  /// Whether what was pinned still lies there.
  bool there() const { return watch_.there(); }
  bool overlaps(const std::byte* array, std::size_t bytes) const {
    const auto* const mine = static_cast<const std::byte*>(memory_);
    return array < mine + bytes_ && mine < array + bytes;
  }

 private:
  struct Registration {
    Registration(void* at, std::size_t bytes) : memory(at) { device::register_host(at, bytes); }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { device::unregister_host(memory); }
    void* memory;
  };
  void* memory_;
  std::size_t bytes_;
  Registration registration_;
  MappingWatch watch_;
};

class UserArrays {
 public:
  /// No array has more than `largest` bytes.
  UserArrays(MemoryModel model, Member member, std::size_t largest)
      : model_(model), member_(member), largest_(largest) {}
  UserArrays(UserArrays&&) = default;

  /// All with the member's device current.
  /// Throw Error when the array does not live where the plan was told, or where the member's device cannot use it, or
  /// when there is no memory for the copy that it needs.
  void check_input(const void* array, std::size_t bytes) { check(array, bytes, bytes, "input", input_stage_); }
  /// `room`: of the bytes that the program needs there, which may be more.
  void check_output(const void* array, std::size_t bytes, std::size_t room) {
    check(array, bytes, room, "output", output_stage_);
  }

  /// Begins a call; nothing is known yet of its arrays.
  void begin() { waits_ = copies_ = false; }
  /// The device's view of an input, copied where it cannot be used in place or when `copy` says so.
  const std::byte* input(const std::byte* array, std::size_t bytes, bool copy, device::StreamHandle stream);
  /// Copies an input to memory of the device, where it is not there already.
  void copy_input(std::byte* to, const std::byte* array, std::size_t bytes, device::StreamHandle stream);
  /// Where the program puts the result, and what else it needs `room` for; `shared`: other members write there too.
  std::byte* output(std::byte* array, std::size_t bytes, std::size_t room, bool shared, device::StreamHandle stream);
  /// Puts the result where the user wants it.
  void deliver(std::byte* array, const std::byte* result, std::size_t bytes, device::StreamHandle stream);
  /// Whether this call's arrays are in memory of which copies are not asynchronous.
  bool waits() const { return waits_; }
  /// Device memory of copies that calls have needed so far.
  std::size_t staged_bytes() const { return (input_stage_ ? largest_ : 0) + (output_stage_ ? largest_ : 0); }
  /// The copies, which others may have to write into when the plan has ended.
  std::array<device::Memory, 2> take_stages() { return {std::move(input_stage_), std::move(output_stage_)}; }
  /// Whether this call copied anything.
  bool copies() const { return copies_; }

 private:
  /// Releases pinned arrays that overlap this one, now or when they were pinned, but are not it.
  void forget_others(const std::byte* array, std::size_t bytes, device::StreamHandle stream);
  /// Pins host memory if asked to; where that fails copies are slower and synchronous.
  void meet(const std::byte* array, std::size_t bytes, const device::PointerInfo& info, device::StreamHandle stream);
  void check(const void* array, std::size_t bytes, std::size_t room, const char* which, device::Memory& stage);
  void reserve(device::Memory& stage) const;
  std::byte* stage(device::Memory& memory);

  MemoryModel model_;
  Member member_;
  std::size_t largest_;
  device::Memory input_stage_, output_stage_;
  std::map<const std::byte*, PinnedArray> pinned_;
  bool waits_ = false, copies_ = false;
};

}  // namespace shardfft::gpu
