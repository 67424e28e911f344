#pragma once
// The sign that this machine is simulated (sim/), for the few places that wait or share memory.
#include "base/hooks.hpp"

namespace shardfft {

/// A hook (base/hooks) without functions: time passes only inside calls of MPI, so that ranks must wait there, and
/// ranks share no memory.
struct SimulatedRanks {};

inline bool ranks_are_simulated() { return installed<SimulatedRanks>() != nullptr; }

}  // namespace shardfft
