#pragma once
// A question for programs that fork.

namespace shardfft {

/// Whether MPI ran when this process was forked. Its connections are the parent's then, which alone may use MPI: plans
/// over communicators throw Error here.
bool mpi_is_inherited();

}  // namespace shardfft
