#include "end_all.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace shardfft::compat {

bool mpi_runs() noexcept {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

void end_all(const char* where, const std::string& why) noexcept {
  std::fprintf(stderr, "shardfft: %s: %s\n", where, why.c_str());
  if (mpi_runs()) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

}  // namespace shardfft::compat
