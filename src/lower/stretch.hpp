#pragma once
// From the steps of a program to the tasks that run it: what runs together, which buffers it reads and writes, and
// which transform applies the scale factor. Decided once, while planning.
#include <vector>

#include "lower/target.hpp"

namespace shardfft {

/// The user's input and output, two buffers of the workspace, and there what a task has for itself while it runs.
enum class Slot { in, out, work0, work1, scratch };
/// A buffer of the workspace that is not this one.
inline Slot other_buffer(Slot slot) { return slot == Slot::work0 ? Slot::work1 : Slot::work0; }

/// A step of the program, from slot to slot. When from == to it runs in place.
struct Stop {
  int step = 0;
  Slot from = Slot::in;
  Slot to = Slot::out;
  double scale = 1;  ///< factor that it applies to its result
};

/// Steps that run as one task: from the first one's `from` to the last one's `to`. With buffers of their own in between
/// only where the target keeps them.
using Stretch = std::vector<Stop>;

/// Does the step run at all? Views never do; a half spectrum is left as it is on the way forward.
bool moves_something(const Step& step);

/// The stretches of the program in the order they run, its result multiplied by `scale`. The input is only read; steps
/// that can run in place do so, except the first.
std::vector<Stretch> cut_in_stretches(const Program& program, double scale, Target& target);

}  // namespace shardfft
