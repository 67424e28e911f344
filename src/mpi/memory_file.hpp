#pragma once
// A file in memory, which the other processes of a host can map.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/offered_file.hpp"

namespace shardfft {

/// Gives addresses back.
struct Unmap {
  std::size_t bytes;
  void operator()(std::byte* memory) const;
};
/// A file's memory as this process sees it.
using Mapping = std::unique_ptr<std::byte, Unmap>;

/// A file without a name, which others open through /proc: nothing is left of it when its process dies, and containers
/// limit it less than /dev/shm. Once mapped by all it may go; the memory stays until the last mapping goes.
class MemoryFile {
 public:
  /// All its memory is reserved, near the calling process, and as much of it as there may be lies in huge pages. Throws
  /// Error(out_of_memory) where there is none.
  MemoryFile(std::size_t bytes, const Proof& proof);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const FileTicket& ticket() const { return ticket_; }
  /// This process's number of the file.
  int descriptor() const { return descriptor_; }
  /// Maps the bytes of a file; null where there are no addresses for them.
  static Mapping map(const OfferedFile& file, std::size_t bytes);

 private:
  MemoryFile();

  int descriptor_;
  FileTicket ticket_;
};

}  // namespace shardfft
