#pragma once
// One plan for both directions; programs that use FFTW make two.
#include <mpi.h>

#include <memory>

#include "shardfft/plan.hpp"

namespace shardfft::compat {

/// A plan for these arguments: one that a handle still holds, if there is one on all ranks, else a new one. Threads
/// that run two handles at once must not share a plan, so all are new if MPI allows that (MPI_THREAD_MULTIPLE).
/// Collective.
std::shared_ptr<Plan> shared_plan(MPI_Comm comm, Transform transform, const Layout& from, const Layout& to,
                                  const Options& options);

}  // namespace shardfft::compat
