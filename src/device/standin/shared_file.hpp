#pragma once
// Memory that other processes can map: an anonymous file that they open through /proc, or whose descriptor they borrow.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/lent_descriptor.hpp"
#include "base/offered_file.hpp"
#include "device/runtime.hpp"

namespace shardfft::device::standin {

/// The address by which other processes find a file and a place in it. The proof in the ticket belongs to this file
/// alone and names its process. A lent file's ticket names the lender instead of a process.
struct FileAddress {
  std::uint64_t what = 0;  ///< memory or event
  FileTicket ticket;
  std::uint64_t place = 0;

  bool lent() const { return ticket.descriptor == lent_descriptor; }
  static constexpr std::int64_t lent_descriptor = -2;
};
inline constexpr std::uint64_t memory_handle = 0x5348415244464d45, event_handle = 0x5348415244464556;

IpcHandle to_handle(const FileAddress& address);
/// Throws Error(backend_failure) if the handle is not one of `what`, or comes from this process.
FileAddress from_handle(const IpcHandle& handle, std::uint64_t what);

class SharedFile {
 public:
  explicit SharedFile(std::size_t bytes);
  /// A file of another process.
  explicit SharedFile(const FileAddress& address);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Maps the whole file, at `wanted` if that is not null.
  void* map(void* wanted = nullptr) const;
  /// Whether another process has borrowed the file and not closed it.
  bool open_elsewhere() const;
  FileAddress address(std::uint64_t what, Sharing sharing = Sharing::ipc);

 private:
  int descriptor_ = -1;
  FileTicket ticket_;
  std::unique_ptr<LentDescriptor> lent_{};
};

}  // namespace shardfft::device::standin
