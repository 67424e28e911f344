#pragma once
// Files in memory that other processes open through /proc.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/proof.hpp"

namespace shardfft {

/// The name by which other processes find a file in memory. Its proof stands behind its bytes.
struct FileTicket {
  std::int64_t process = -1;  ///< -1: there is no file
  std::int64_t descriptor = -1;
  std::uint64_t bytes = 0;
  Proof proof;

  /// The path that other processes open.
  std::string path() const;
};

/// A descriptor of a new file in memory, whose `name` begins with "shardfft". Throws Error(out_of_memory), with the
/// limit.
int make_file(const char* name);
/// Makes a file without a name as large as `bytes` and the proof, which it writes. Throws Error(out_of_memory), naming
/// the limit, if it cannot be so large: the kernel would end the process.
FileTicket offer_file(int descriptor, std::size_t bytes, const Proof& proof);

/// The file of a ticket, open in this process.
class OfferedFile {
 public:
  /// `own`: of this process, which needs no name to find it.
  OfferedFile(const FileTicket& ticket, bool own);
  ~OfferedFile();
  OfferedFile(const OfferedFile&) = delete;
  OfferedFile& operator=(const OfferedFile&) = delete;

  Found found() const { return found_; }
  /// -1 unless the file was found itself.
  int descriptor() const { return descriptor_; }
  /// The same, which the caller closes from now on.
  int take() { return std::exchange(descriptor_, -1); }
  /// The text of an error: the file that was found instead.
  std::string text() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
  Found found_ = Found::nothing;
};

}  // namespace shardfft
