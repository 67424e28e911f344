#pragma once
// Whether results are better written past the cache, or left in it for whoever reads them next: machines differ.
#include <cstddef>

#include "mpi/host_window.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// The results of a rank, in bytes, from which on all ranks write them past the cache, where each rank has arrays of
/// `bytes` at most. Unless the effort is an estimate, or the answer is beyond doubt, what happens in a run is tried:
/// arrays of that size go through a buffer in cache to one another, and through the memory of `host` from rank to rank;
/// null where ranks read only their own. Collective.
std::size_t bytes_to_write_past_cache(const Communicator& comm, HostMemory* host, std::size_t bytes, Effort effort);

}  // namespace shardfft
