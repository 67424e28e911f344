#pragma once
// The users' arrays of one member: their memory, and the device's access to it (FFT-ECP section 4.2: host, registered,
// managed and device memory).
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
  /// Throws if the system refuses.
  PinnedArray(void* memory, std::size_t bytes)
      : memory_(memory), bytes_(bytes), registration_(memory, bytes), watch_(memory, bytes) {}
  std::size_t bytes() const { return bytes_; }
  /// Whether the memory that was pinned is still mapped here.
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

  /// All functions run with the member's device current.
  /// These throw Error if the array is not in the memory that the plan was told, if the member's device cannot use it,
  /// or if there is no memory for the copy that it needs.
  void check_input(const void* array, std::size_t bytes) { check(array, bytes, bytes, "input", input_stage_, input_); }
  /// `room`: the bytes that the program needs in the output, which may be more.
  void check_output(const void* array, std::size_t bytes, std::size_t room) {
    check(array, bytes, room, "output", output_stage_, output_);
  }

  /// Begins a call, and forgets the arrays of the last one.
  void begin() { waits_ = copies_ = false; }
  /// The device's view of an input: a copy if the device cannot use the array itself, or if `copy` is set.
  const std::byte* input(const std::byte* array, std::size_t bytes, bool copy, device::StreamHandle stream);
  /// Copies an input to memory of the device, unless it is there already.
  void copy_input(std::byte* to, const std::byte* array, std::size_t bytes, device::StreamHandle stream);
  /// How a program uses the output's array: `shared`: other members write there too; `fast`: that should be fast, at
  /// the price of memory; `apart`: the result can be written into another array than theirs.
  struct Use {
    bool shared = false, fast = false, apart = false;
  };
  /// The array that has `room` bytes for the program, and the one that gets the result.
  struct Output {
    std::byte *array = nullptr, *result = nullptr;
  };
  Output output(std::byte* array, std::size_t bytes, std::size_t room, Use use, device::StreamHandle stream);
  /// Copies the result to the user's array, unless it is there already.
  void deliver(std::byte* array, const std::byte* result, std::size_t bytes, device::StreamHandle stream);
  /// Whether copies of this call's arrays are not asynchronous.
  bool waits() const { return waits_; }
  /// Device memory of the copies that calls have needed so far.
  std::size_t staged_bytes() const {
    return ((input_stage_ ? 1 : 0) + (output_stage_ ? 1 : 0)) * device::in_whole_pages(largest_);
  }
  /// The copies. Other members may still have to write into them when the plan has ended.
  std::array<device::Memory, 2> take_stages() { return {std::move(input_stage_), std::move(output_stage_)}; }
  /// Whether this call copied anything.
  bool copies() const { return copies_; }

 private:
  /// What the runtime said of an array when the call checked it, so that it is asked once a call.
  struct Checked {
    const void* array = nullptr;
    device::MemoryKind kind = device::MemoryKind::pageable;
  };
  static device::MemoryKind kind_of(const void* array, Checked& checked);
  /// Releases pinned arrays that overlap this one but are no longer mapped, or that begin here and are too small.
  void forget_others(const std::byte* array, std::size_t bytes, device::StreamHandle stream);
  /// Pins host memory if the plan asks for it. If that fails, copies are slower and synchronous.
  void meet(const std::byte* array, std::size_t bytes, device::MemoryKind kind, device::StreamHandle stream);
  void check(const void* array, std::size_t bytes, std::size_t room, const char* which, device::Memory& stage,
             Checked& checked);
  void reserve(device::Memory& stage) const;
  bool has_room_beside();
  bool is_lent(const std::byte* array, std::size_t room, bool fast);
  std::byte* stage(device::Memory& memory);

  MemoryModel model_;
  Member member_;
  std::size_t largest_;
  device::Memory input_stage_, output_stage_;
  Checked input_, output_;
  std::map<const std::byte*, PinnedArray> pinned_;
  bool waits_ = false, copies_ = false;
};

}  // namespace shardfft::gpu
