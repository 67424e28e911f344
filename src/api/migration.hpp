#pragma once
// The inside of a migration of records.
#include <vector>

#include "base/aligned.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/particles.hpp"

namespace shardfft {

/// Records in the order of their new ranks, and how many each rank sends and is sent.
struct Migration::Impl {
  Communicator comm;
  std::vector<std::int64_t> order;  ///< of the records that are sent
  std::vector<int> sent, received;  ///< by rank
  std::int64_t coming = 0;

  Impl(Communicator c, const std::vector<int>& owner);
  void exchange(const std::byte* from, std::byte* to, std::size_t bytes, bool forward) const;
  /// Checks the arguments of a move on all ranks, and returns memory for this rank's packed records.
  AlignedMemory room(const void* in, bool any_in, const void* out, bool any_out, std::size_t bytes) const;
};

}  // namespace shardfft
