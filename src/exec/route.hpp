#pragma once
// Which buffer every step reads and writes: coloured once, while planning.
#include <vector>

#include "algorithm/program.hpp"

namespace shardfft {

/// The user's input and output, and two buffers of the workspace.
enum class Slot { in, out, work0, work1 };

/// One step of one direction: program step `step`, from slot to slot. When from == to the step runs in place.
struct Stop {
  int step = 0;
  Slot from = Slot::in;
  Slot to = Slot::out;
};

/// Is the step at `step` a reshape with a transform right behind it (in this direction), and marked in `fusable` (one
/// entry a step)? The two then run as one, from the reshape's source to the transform's result.
bool is_fused(const Program& program, Direction direction, int step, const std::vector<bool>& fusable);

/// Stops of a direction in the order they run. Views are left out: they move nothing. The input is only read; steps
/// that can run in place do so, except the first.
std::vector<Stop> plan_route(const Program& program, Direction direction, const std::vector<bool>& fusable);

/// Does the step run at all? Views never do; forward, the half spectrum is left as it is.
bool moves_something(const Step& step, Direction direction);

/// Can the step write over what it reads?
bool can_run_in_place(const Step& step);

}  // namespace shardfft
