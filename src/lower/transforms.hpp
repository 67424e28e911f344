#pragma once
// How transforms of several axes are cut, which is the last pass over a program before it is cut in stretches.
#include "lower/target.hpp"

namespace shardfft {

/// The program as the target runs it: its orders in memory (choose_orders), its transforms cut.
Program lowered(const Program& program, Target& target);

/// The program with every transform of several axes cut in the groups that the target wants one after the other.
Program cut_transforms(const Program& program, Target& target);

}  // namespace shardfft
