#include "refusal.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shardfft/fftw.h"

namespace shardfft::compat {

namespace {

thread_local std::string last_error;

bool is_asked_for() {
  const char* const asked = std::getenv("SHARDFFT_FFTW_ERRORS");
  return asked && std::strcmp(asked, "0") != 0;
}

bool is_usable(MPI_Comm comm) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended && comm != MPI_COMM_NULL;
}

}  // namespace

void refuse(const char* function, const std::string& why, MPI_Comm comm) {
  last_error = std::string(function) + ": " + why;
  if (!is_asked_for()) return;
  int rank = 0;
  if (is_usable(comm)) MPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fprintf(stderr, "shardfft: %s\n", last_error.c_str());
}

void forget_refusal() noexcept { last_error.clear(); }

void end_all(const char* where, const std::string& why) noexcept {
  std::fprintf(stderr, "shardfft: %s: %s\n", where, why.c_str());
  if (is_usable(MPI_COMM_WORLD)) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

}  // namespace shardfft::compat

extern "C" const char* shardfft_fftw_last_error(void) { return shardfft::compat::last_error.c_str(); }
