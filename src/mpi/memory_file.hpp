#pragma once
// A file in memory, which the other processes of a host can map.
#include <cstddef>
#include <cstdint>
#include <memory>

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
  /// No file.
  MemoryFile() = default;
  /// All its memory is reserved, near the calling process, and as much of it as there may be lies in huge pages.
  /// No file if there is no memory.
  explicit MemoryFile(std::size_t bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// By which other processes find the file; -1: there is none.
  std::int64_t ticket() const;
  /// This process's number of the file; -1: there is none.
  int descriptor() const { return descriptor_; }
  /// Maps the first `bytes` of a file; null when it cannot be opened or mapped.
  static Mapping map(std::int64_t ticket, std::size_t bytes);

 private:
  void close();

  int descriptor_ = -1;
};

}  // namespace shardfft
