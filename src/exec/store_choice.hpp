#pragma once
// Chooses whether results are written past the cache, or into it for the next reader: machines differ.
#include <cstddef>

#include "mpi/host_window.hpp"
#include "run/setup.hpp"

namespace shardfft {

/// The size of a rank's results from which all ranks write past the cache. `bytes`: the largest array of any rank. If
/// ranks may try it and the size leaves a doubt, both ways are timed as in a run: through memory of `host` that ranks
/// share, or within each rank's own memory if `host` is null. Collective.
std::size_t bytes_to_write_past_cache(const Communicator& comm, HostMemory* host, std::size_t bytes,
                                      const RankFacts& ranks);

}  // namespace shardfft
