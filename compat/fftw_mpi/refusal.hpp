#pragma once
// Errors behind an interface without errors: planning returns NULL, and the reason is kept here.
#include <mpi.h>

#include <string>

namespace shardfft::compat {

/// Keeps the reason for shardfft_fftw_last_error(). Rank 0 of `comm` writes it to stderr if SHARDFFT_FFTW_ERRORS is
/// set, or if it is the first one and SHARDFFT_FFTW_OPTIONS is set.
void refuse(const char* function, const std::string& why, MPI_Comm comm);
void forget_refusal() noexcept;

}  // namespace shardfft::compat
