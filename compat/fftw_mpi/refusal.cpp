#include "refusal.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "end_all.hpp"
#include "shardfft/fftw.h"

namespace shardfft::compat {

namespace {

thread_local std::string last_error;

/// Whether to write a refusal: each one if SHARDFFT_FFTW_ERRORS is set. If SHARDFFT_FFTW_OPTIONS is set, also the first
/// one, because a wrong option prevents all plans and is not the program's fault.
bool is_asked_for() {
  static std::atomic<bool> has_told = false;
  const char* const asked = std::getenv("SHARDFFT_FFTW_ERRORS");
  const bool first = std::getenv("SHARDFFT_FFTW_OPTIONS") && !has_told.exchange(true);
  return first || (asked && std::strcmp(asked, "0") != 0);
}

}  // namespace

void refuse(const char* function, const std::string& why, MPI_Comm comm) {
  last_error = std::string(function) + ": " + why;
  if (!is_asked_for()) return;
  int rank = 0;
  if (mpi_runs() && comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fprintf(stderr, "shardfft: %s\n", last_error.c_str());
}

void forget_refusal() noexcept { last_error.clear(); }

}  // namespace shardfft::compat

extern "C" const char* shardfft_fftw_last_error(void) { return shardfft::compat::last_error.c_str(); }
