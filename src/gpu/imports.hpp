#pragma once
// Memory of other processes. Each allocation is opened once in this process, however many plans and buffers use it.
//
// CUDA refuses to open an allocation while an older one at the same place is open here ("mapped already"). Callers may
// free their arrays at any time, so an open import may be useless. If an allocation cannot be opened, open_import()
// closes all imports of the same owner that can be reopened, then tries again.
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "device/handles.hpp"

namespace shardfft::gpu {

/// A plan that can reopen a closed import: it checks Import::open() before every use. An import that it holds is not
/// closed during its calls, nor before the work that they enqueued on streams has ended.
class ImportUser {
 public:
  /// `finish` waits for that work. It throws if it cannot tell whether the work has ended.
  explicit ImportUser(std::function<void()> finish) : finish_(std::move(finish)) {}
  /// A call holds this lock from its check of open() to its end. It must not hold the lock while it opens imports.
  std::unique_lock<std::mutex> in_call() { return std::unique_lock(mutex_); }
  /// The plan ends. If its work may never end (`work_is_done` is false), the imports that it holds stay open.
  void leave(bool work_is_done);

 private:
  friend class Import;
  std::mutex mutex_;
  std::function<void()> finish_;
};

class Import {
 public:
  /// Opens the memory on the current device.
  explicit Import(const device::IpcHandle& handle)
      : device_(device::current_device()), memory_(device::import_memory(handle)) {}
  ~Import() { close(); }
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  void* address() const { return memory_.get(); }
  /// False after the import was closed to make room: its holder must open the allocation again.
  bool open() const { return static_cast<bool>(memory_); }

  /// Adds a user. Null is a user that never checks open(): the import then stays open for good.
  void add(const std::shared_ptr<ImportUser>& user);
  /// Closes the import, unless it must stay open. Returns false if a later attempt may close it: a user is in a call.
  bool give_way();

 private:
  void close() noexcept;

  int device_;
  device::ImportedMemory memory_;
  bool fixed_ = false;
  std::vector<std::weak_ptr<ImportUser>> users_;
};

/// An allocation, as its owner describes it to other processes.
struct Exported {
  device::IpcHandle handle{};
  std::uint64_t id = 0;     ///< a later allocation with the same handle has another id
  std::uint64_t owner = 0;  ///< random word of the owner's process; containers may repeat process numbers
};

/// Opens the allocation on the current device, until its last holder releases it. `user` is passed to Import::add().
std::shared_ptr<Import> open_import(const Exported& allocation, const std::shared_ptr<ImportUser>& user);

}  // namespace shardfft::gpu
