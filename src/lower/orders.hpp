#pragma once
// The order of axes in memory, if the algorithm leaves it open.
#include "lower/target.hpp"

namespace shardfft {

/// The program with the target's orders between reshapes, without reshapes that then have nothing to do.
Program choose_orders(Program program, Target& target);

/// The program with the target's gaps between the rows of arrays that only the plan sees.
Program pad_rows(Program program, Target& target);

/// One past the last state that the data passes through from state `begin` on before the next reshape.
std::size_t stage_end(const Program& program, std::size_t begin);

}  // namespace shardfft
