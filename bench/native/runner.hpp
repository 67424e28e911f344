// One case on one library: conformance first, then the clock, then the record.
#pragma once

#include <mpi.h>

#include "adapter.hpp"

namespace shardfft::bench {

// The record of the case; complete on rank 0. Collective. "status" is "ok", "wrong" or "unsupported".
Json run_case(const Case& wanted, Adapter& adapter, MPI_Comm comm);

Json to_json(const Description& description);

}  // namespace shardfft::bench
