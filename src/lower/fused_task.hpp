#pragma once
// From the steps of a program to the tasks that run it: the steps of each task, the arrays that it reads and writes,
// and the transform that applies the scale factor. Decided once, while planning.
#include <vector>

#include "lower/target.hpp"

namespace shardfft {

/// Arrays of a run have numbers: the user's input and output, and the arrays between steps.
constexpr int input_array = 0, output_array = 1, first_between = 2;
inline bool lies_between(int array) { return array >= first_between; }

/// A step of the program, from array to array. If from == to, it runs in place.
struct LoweredStep {
  int step = 0;
  int from = input_array;
  int to = output_array;
  double scale = 1;  ///< factor that it applies to its result
};

/// Steps that run as one task, from the first one's `from` to the last one's `to`. They have arrays of their own in
/// between only if the target keeps them.
using FusedTask = std::vector<LoweredStep>;

/// Whether the step has work to do. A view has none; a half spectrum step has none forward.
bool moves_something(const Step& step);

/// The fused tasks of the program in the order of a run; its result is multiplied by `scale`. The input is only read.
/// All steps but the first run in place if they can. Arrays between steps are numbered from the last one to the first.
std::vector<FusedTask> fuse_steps(const Program& program, double scale, Target& target);

}  // namespace shardfft
