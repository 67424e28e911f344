#pragma once
#include <string>

namespace shardfft::compat {

/// For an error in the middle of a run that the interface cannot report: writes it to stderr and ends all ranks by MPI,
/// as MPI's own errors do.
[[noreturn]] void end_all(const char* where, const std::string& why) noexcept;

/// Whether MPI can be called.
bool mpi_runs() noexcept;

}  // namespace shardfft::compat
