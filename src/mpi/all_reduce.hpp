#pragma once
// Numbers that ranks add up at the end of every run: in memory that they share, else by a message of MPI's.
#include <array>
#include <cstdint>
#include <memory>

#include "mpi/communicator.hpp"
#include "mpi/host_window.hpp"
#include "mpi/watch.hpp"

namespace shardfft {

class AllReduce {
 public:
  using Numbers = std::array<std::uint64_t, 2>;

  virtual ~AllReduce() = default;
  /// The sum of each number over the ranks, modulo 2^64. Collective; while it waits, it throws the exceptions of
  /// `watch`.
  virtual Numbers sum(const Numbers& mine, Watch* watch) = 0;
};

/// `host`: the memory of this rank's host, or null. Collective.
std::unique_ptr<AllReduce> make_all_reduce(const Communicator& comm, HostMemory* host);

}  // namespace shardfft
