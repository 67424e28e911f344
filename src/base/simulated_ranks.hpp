#pragma once
// What tells the few places that wait, or share memory, that this machine is simulated (sim/).
#include "base/hooks.hpp"

namespace shardfft {

/// A hook (base/hooks) that nobody asks anything: time passes only inside calls of MPI, so that who waits does so
/// there, and ranks share no memory.
struct SimulatedRanks {};

inline bool ranks_are_simulated() { return installed<SimulatedRanks>() != nullptr; }

}  // namespace shardfft
