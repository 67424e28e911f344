#pragma once
// How transforms of several axes are cut.
#include "lower/target.hpp"

namespace shardfft {

/// The program with every transform of several axes cut in the groups that the target wants one after the other.
Program cut_transforms(const Program& program, Target& target);

}  // namespace shardfft
