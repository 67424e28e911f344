#pragma once
// What the option tolerance allows the messages of a plan.
#include <string>

#include "algorithm/program.hpp"
#include "run/setup.hpp"

namespace shardfft {

/// Says in the setup which numbers messages have, for programs like this one, whose reshapes share the tolerance, and
/// why. `why_exact`: why its messages cannot have short numbers; empty where they can.
void heed_tolerance(ExecutorSetup& setup, const Program& program, const std::string& why_exact);

}  // namespace shardfft
