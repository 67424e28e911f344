#pragma once
// The inside of a migration of records.
#include <vector>

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
  void check(const void* in, bool any_in, const void* out, bool any_out, std::size_t bytes) const;
};

}  // namespace shardfft
