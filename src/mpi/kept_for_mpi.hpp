#pragma once
// Objects that must not go away because MPI may still read or write them.
#include <memory>

namespace shardfft {

/// Keeps `what` until the process ends: MPI cannot take back a collective call that some ranks will never make.
void keep_for_mpi(std::shared_ptr<void> what);

}  // namespace shardfft
