#pragma once
// All memory that the stand-in knows, and whether an access stays inside it. Fresh memory is filled with NaNs, and the
// addresses of freed memory are never reused, so that no access to it goes unnoticed. Other processes get places, which
// are reused like addresses of a real device: they cannot open an allocation while an earlier one at its place is still
// open.
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "device/runtime.hpp"
#include "device/standin/shared_file.hpp"

namespace shardfft::device::standin {

/// Bytes that a task touches.
struct Access {
  const void* first = nullptr;
  std::size_t bytes = 0;
};

class MemoryTable {
 public:
  static MemoryTable& instance();

  void* allocate(std::size_t bytes, MemoryKind kind, int device, Sharing sharing = Sharing::ipc);
  /// Does nothing for memory of another kind.
  void release(void* base, MemoryKind kind);
  void register_host(void* memory, std::size_t bytes);
  void unregister_host(void* memory);
  /// The number of registrations so far.
  std::int64_t registrations() const;
  PointerInfo describe(const void* pointer) const;
  Allocation allocation_of(const void* pointer) const;
  /// Bytes allocated by calls on `device`: now, and the most since forget_peaks(). Registered host memory does not
  /// count.
  std::size_t used(int device, MemoryKind kind = MemoryKind::device) const { return use_of(kind, device).now; }
  std::size_t peak(int device, MemoryKind kind = MemoryKind::device) const { return use_of(kind, device).most; }
  void forget_peaks();

  IpcHandle export_memory(void* base) const;
  /// The number of allocations for Sharing::descriptors that were released while another process had them open: their
  /// bytes stay in use until it closes them, so that a plan must not do this with memory of its own.
  int released_while_open() const;
  void* import_memory(const IpcHandle& handle, int device);
  void close_memory(void* base);

  void enable_peer(int device, int peer);
  /// Throw Error if a kernel on `device`, or a copy, must not touch these bytes.
  void check_kernel(const Access& access, int device) const;
  void check_copy(const Access& access) const;

 private:
  struct Block {
    std::size_t bytes = 0, reserved = 0;  ///< reserved: with the unusable page behind it
    MemoryKind kind = MemoryKind::device;
    int device = -1;
    bool freed = false;
    int opened = 0;  ///< times that memory of another process was opened
    Proof proof{};   ///< of the opened memory: of its file and its process
    std::uint64_t id = 0;
    std::uint64_t place = 0;  ///< on the owner's device; 0 if shared by descriptors
    std::shared_ptr<SharedFile> file{};
    Sharing sharing = Sharing::ipc;
  };
  struct Use {
    std::size_t now = 0, most = 0;
  };
  Use use_of(MemoryKind kind, int device) const;
  /// The block whose reserved bytes hold `pointer`; null for memory that is not known.
  const std::pair<std::byte* const, Block>* find(const void* pointer) const;
  const std::pair<std::byte* const, Block>* checked(const Access& access) const;
  void* map(Block block);
  std::uint64_t take_place(int device, std::size_t bytes);
  void retire(std::byte* base, Block& block);

  mutable std::mutex mutex_;
  std::map<std::byte*, Block> blocks_;  ///< freed ones too, tens of thousands in a long run
  std::set<std::byte*> opened_;         ///< those of other processes
  std::map<std::pair<MemoryKind, int>, Use> used_;
  std::uint64_t last_id_ = 0, last_place_ = 0;
  std::map<std::pair<int, std::size_t>, std::vector<std::uint64_t>> free_places_;  ///< by device and bytes
  std::int64_t registrations_ = 0;
  int released_while_open_ = 0;
  std::set<std::pair<int, int>> peers_;
};

}  // namespace shardfft::device::standin
