#pragma once
// Reads the arrays of other processes of the host if the kernel allows it (cross-memory attach): a user's own array
// need not be copied into shared memory before others read it.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// `bytes` from an address in another process to one in this process.
struct CrossRun {
  std::uint64_t from = 0;
  std::byte* to = nullptr;
  std::size_t bytes = 0;
};

/// The processes of one host, and whether they may read each other's memory.
class CrossMemory {
 public:
  /// Every rank reads a proof of every other; allowed() is true only if all of them found it at the given address.
  /// Their process numbers then mean the same to all. Collective over `host`.
  explicit CrossMemory(const Communicator& host);

  bool allowed() const { return allowed_; }
  /// Whether others could read `bytes` at `p` in this process: not every mapping can be read this way.
  bool lendable(const std::byte* p, std::size_t bytes) const;
  /// Throws Error(internal) if the kernel refuses.
  void read(int host_rank, const std::vector<CrossRun>& runs) const;

 private:
  std::vector<std::int64_t> processes_;  ///< by rank on the host
  bool allowed_ = false;
};

}  // namespace shardfft
