#pragma once
// What can be said of a planning call before anything is made.
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

/// Throws Error on all ranks where the call cannot be planned, or where ranks make different calls. Returns whether
/// input and output are one array. Collective.
bool check(const Request& request);

/// Does what can fail on one rank alone: if it does, all throw. Collective.
void on_all(MPI_Comm comm, const std::function<void()>& work);

}  // namespace shardfft::compat
