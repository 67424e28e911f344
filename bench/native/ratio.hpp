// The papers' ratio of communication: the share of a transform that is not spent in local FFTs.
#pragma once

#include <mpi.h>

#include <functional>

#include "adapter.hpp"

namespace shardfft::bench {

// What a few untimed runs of `work` say, the same on each rank:
//   seconds   of a run, the mean over ranks
//   told      seconds in local FFTs as the library tells them, or its calls of FFTW and MKL that the harness has
//   preloaded replayed  seconds of those FFTs alone, on all ranks at once: the recorded calls, or what the adapter has
//   instead
// each with its source and r = 1 - local FFTs / seconds, or the reason why there is none. `prepare` fills the data.
Json measure_ratio(Adapter& adapter, const Case& wanted, const std::function<void()>& prepare,
                   const std::function<void()>& work, MPI_Comm comm);

}  // namespace shardfft::bench
