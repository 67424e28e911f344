#pragma once
// Ranks of an MPI program have one seed, and the first prints it.
#include <mpi.h>

#include "support/seed.hpp"

namespace shardfft::test {

namespace detail {
inline const bool seed_is_shared = [] {
  share_seed = [](std::uint64_t mine, bool& print) {
    MPI_Bcast(&mine, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    print = rank == 0;
    return mine;
  };
  return true;
}();
}  // namespace detail

}  // namespace shardfft::test
