#pragma once
// The messages that the option tolerance allows a plan.
#include <string>

#include "algorithm/program.hpp"
#include "run/setup.hpp"

namespace shardfft {

/// Chooses the numbers of messages, for programs like `program`, whose reshapes share the tolerance, and reports the
/// reason. `why_exact`: the reason why messages cannot have short numbers; empty if they can.
void heed_tolerance(ExecutorSetup& setup, const Program& program, const std::string& why_exact);

}  // namespace shardfft
