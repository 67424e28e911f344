#pragma once
// What the option tolerance allows the messages of a plan.
#include <optional>
#include <string>

#include "algorithm/program.hpp"
#include "pack/short_numbers.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

struct Tolerated {
  ShortNumbers numbers;
  std::optional<Choice> choice;  ///< where there is a tolerance
};

/// For programs like this one, whose reshapes share the tolerance. `why_exact`: why its messages cannot have short
/// numbers; empty where they can.
Tolerated tolerated(const Options& options, Precision precision, const Program& program, const std::string& why_exact);

}  // namespace shardfft
