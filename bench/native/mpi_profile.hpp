// Time and bytes a library spends in MPI, counted through MPI's profiling interface, so no library need offer it.
#pragma once

#include <cstdint>

namespace shardfft::bench {

struct MpiUse {
  double seconds = 0;  // inside MPI calls on this rank
  // Handed over for other ranks by this rank, and fetched by it from windows. What is read in shared memory passes no
  // call.
  std::int64_t bytes = 0;
  std::int64_t calls = 0;
};

// Counting is off until the first call; the wrappers then cost one branch. Not thread safe: calls from several
// threads of a rank are counted only approximately.
void start_counting_mpi();
MpiUse stop_counting_mpi();
// Calls so far, while counting: whether something that was called has called MPI.
std::int64_t mpi_calls();

}  // namespace shardfft::bench
