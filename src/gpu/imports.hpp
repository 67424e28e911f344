#pragma once
// Memory of other processes, opened once in this process however many plans and buffers name it.
//
// A process cannot open an allocation while it still has open what lay at the same place before: CUDA answers that it
// is mapped already. Callers may free their arrays at any time, so what is open may be of no use to anybody; when an
// allocation cannot be opened, everything of the same owner that can be opened again is closed, and it is tried again.
#include <cstdint>
#include <memory>

#include "device/handles.hpp"

namespace shardfft::gpu {

class Import {
 public:
  explicit Import(const device::IpcHandle& handle) : memory_(device::import_memory(handle)) {}
  void* address() const { return memory_.get(); }
  /// False once it had to make room: its holder must open what it needs again.
  bool open() const { return static_cast<bool>(memory_); }
  void close() { memory_ = device::ImportedMemory(); }

 private:
  device::ImportedMemory memory_;
};

/// An allocation as its owner describes it.
struct Exported {
  device::IpcHandle handle{};
  std::uint64_t id = 0;    ///< tells allocations of one handle apart in time
  std::int64_t owner = 0;  ///< its process
};

/// The allocation on the current device, open as long as somebody holds it. `reopened`: the holder looks at open()
/// before every use, so that it may be closed to make room.
std::shared_ptr<Import> open_import(const Exported& allocation, bool reopened);

}  // namespace shardfft::gpu
