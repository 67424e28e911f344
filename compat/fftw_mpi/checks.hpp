#pragma once
// Checks of a planning call before anything is made.
#include <functional>
#include <string>

#include "planner.hpp"

namespace shardfft::compat {

/// FFTW's flags, which mean the same in every precision.
struct Flags {
  explicit Flags(unsigned flags);
  bool transposed_in, transposed_out;
  Scrambled scrambled;
  bool estimate, patient, wisdom_only;
};

/// Throws Error on all ranks if the call cannot be planned, or if ranks make different calls. Returns whether input and
/// output are one array. Collective.
bool check(const Request& request);

/// Runs work that may fail on one rank alone; if it does, all ranks throw. Collective.
void on_all(MPI_Comm comm, const std::function<void()>& work);

}  // namespace shardfft::compat
