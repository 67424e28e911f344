#pragma once
// Memory of other processes, opened once in this process however many plans and buffers name it.
//
// A process cannot open an allocation while it still has open what lay at the same place before: CUDA answers that it
// is mapped already. Callers may free their arrays at any time, so what is open may be of no use to anybody; when an
// allocation cannot be opened, everything of the same owner that can be opened again is closed, and it is tried again.
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "device/handles.hpp"

namespace shardfft::gpu {

/// A plan that can open again what was closed: it looks at Import::open() before every use. Memory that it has open is
/// not closed in the middle of its calls, nor before the work that they have left on streams is done.
class ImportUser {
 public:
  /// `finish` waits for that work; it throws where it cannot tell.
  explicit ImportUser(std::function<void()> finish) : finish_(std::move(finish)) {}
  /// To be held from the look at open() to the end of a call, but not while opening.
  std::unique_lock<std::mutex> in_call() { return std::unique_lock(mutex_); }
  /// The plan ends. If its work may never end, memory that it has open stays open.
  void leave(bool work_is_done);

 private:
  friend class Import;
  std::mutex mutex_;
  std::function<void()> finish_;
};

class Import {
 public:
  /// On the current device.
  explicit Import(const device::IpcHandle& handle)
      : device_(device::current_device()), memory_(device::import_memory(handle)) {}
  ~Import() { close(); }
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  void* address() const { return memory_.get(); }
  /// False once it had to make room: its holder must open what it needs again.
  bool open() const { return static_cast<bool>(memory_); }

  /// Null: a user that does not look at open(), for which it is never closed.
  void add(const std::shared_ptr<ImportUser>& user);
  /// Closes it if it may be. False where it can be later: a user is in the middle of a call.
  bool give_way();

 private:
  void close() noexcept;

  int device_;
  device::ImportedMemory memory_;
  bool fixed_ = false;
  std::vector<std::weak_ptr<ImportUser>> users_;
};

/// An allocation as its owner describes it.
struct Exported {
  device::IpcHandle handle{};
  std::uint64_t id = 0;     ///< tells allocations of one handle apart in time
  std::uint64_t owner = 0;  ///< the word of its process: process numbers are not its alone
};

/// The allocation on the current device, open as long as somebody holds it. `user`: of Import::add().
std::shared_ptr<Import> open_import(const Exported& allocation, const std::shared_ptr<ImportUser>& user);

}  // namespace shardfft::gpu
