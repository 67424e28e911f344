#pragma once
// In which order the axes lie in memory where the algorithm leaves that open.
#include "lower/target.hpp"

namespace shardfft {

/// The program with the target's orders between reshapes; a reshape that then has nothing to do is gone.
Program choose_orders(Program program, Target& target);

/// The program with the target's gaps between the rows of arrays that only the plan sees.
Program pad_rows(Program program, Target& target);

/// One past the last state that the data passes through from state `begin` on without being reshaped.
std::size_t stage_end(const Program& program, std::size_t begin);

}  // namespace shardfft
