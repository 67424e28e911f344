#pragma once
// Cuts transforms of several axes: the last pass over a program before its steps are fused.
#include "lower/target.hpp"

namespace shardfft {

/// The program as the target runs it: its orders in memory (choose_orders), padded rows, transforms cut.
Program lowered(const Program& program, Target& target);

/// The program with every transform of several axes cut in the groups that the target transforms one after the other.
Program cut_transforms(const Program& program, Target& target);

}  // namespace shardfft
