#pragma once
// Memory that other processes can map: an anonymous file that they open through /proc.
#include <cstddef>
#include <cstdint>

#include "base/offered_file.hpp"
#include "device/runtime.hpp"

namespace shardfft::device::standin {

/// The address by which other processes find a file and a place in it. The proof in the ticket belongs to this file
/// alone and names its process.
struct FileAddress {
  std::uint64_t what = 0;  ///< memory or event
  FileTicket ticket;
  std::uint64_t place = 0;
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
  FileAddress address(std::uint64_t what) const;

 private:
  int descriptor_ = -1;
  FileTicket ticket_;
};

}  // namespace shardfft::device::standin
