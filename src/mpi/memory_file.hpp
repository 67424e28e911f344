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
  /// None of its memory is reserved. Throws Error(out_of_memory) if no such file can be made.
  MemoryFile(std::size_t bytes, const Proof& proof);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const FileTicket& ticket() const { return ticket_; }
  /// This process's number of the file.
  int descriptor() const { return descriptor_; }
  /// Maps the bytes of a file; null if there are no addresses for them.
  static Mapping map(const OfferedFile& file, std::size_t bytes);
  /// Reserves the memory of a part that is mapped at `mapped`, near the calling process, and lays as much of it as
  /// possible in huge pages. Throws Error(out_of_memory) if there is none.
  static void reserve(const OfferedFile& file, std::byte* mapped, std::size_t offset, std::size_t bytes);

 private:
  MemoryFile();

  int descriptor_;
  FileTicket ticket_;
};

}  // namespace shardfft
