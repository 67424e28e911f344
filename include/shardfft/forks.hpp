#pragma once
// A question for programs that fork.

namespace shardfft {

/// Whether MPI ran when this process was forked. MPI's connections then belong to the parent, and only the parent may
/// use MPI: plans over communicators throw Error here.
bool mpi_is_inherited();

}  // namespace shardfft
