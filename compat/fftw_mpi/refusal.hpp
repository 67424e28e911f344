#pragma once
// What becomes of errors behind an interface without any: planning returns NULL, and here is why.
#include <mpi.h>

#include <string>

namespace shardfft::compat {

/// Keeps the reason for shardfft_fftw_last_error(), and writes it to stderr where SHARDFFT_FFTW_ERRORS asks for it,
/// from rank 0 of `comm`.
void refuse(const char* function, const std::string& why, MPI_Comm comm);
void forget_refusal() noexcept;

}  // namespace shardfft::compat
