#pragma once
#include <string>

namespace shardfft::compat {

/// An error in the middle of a run, which the interface cannot tell: written to stderr, and MPI ends all ranks, as
/// MPI's own errors do.
[[noreturn]] void end_all(const char* where, const std::string& why) noexcept;

/// Whether MPI can be called.
bool mpi_runs() noexcept;

}  // namespace shardfft::compat
