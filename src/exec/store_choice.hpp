#pragma once
// Whether results are better written past the cache, or left in it for whoever reads them next: machines differ.
#include <cstddef>

#include "mpi/host_window.hpp"
#include "run/setup.hpp"

namespace shardfft {

/// From how many bytes of a rank's results on all ranks write past the cache. `bytes`: the largest array of any rank.
/// Where ranks may try it and the size leaves a doubt, it is tried as in a run: through memory of `host` that ranks
/// share, or within each rank's own memory if `host` is null. Collective.
std::size_t bytes_to_write_past_cache(const Communicator& comm, HostMemory* host, std::size_t bytes,
                                      const RankFacts& ranks);

}  // namespace shardfft
