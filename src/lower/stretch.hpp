#pragma once
// From the steps of a program to the tasks that run it: what runs together, which arrays it reads and writes, and
// which transform applies the scale factor. Decided once, while planning.
#include <vector>

#include "lower/target.hpp"

namespace shardfft {

/// Arrays of a run have numbers: the user's input and output, and those that lie between steps.
constexpr int input_array = 0, output_array = 1, first_between = 2;
inline bool lies_between(int array) { return array >= first_between; }

/// A step of the program, from array to array. When from == to it runs in place.
struct Stop {
  int step = 0;
  int from = input_array;
  int to = output_array;
  double scale = 1;  ///< factor that it applies to its result
};

/// Steps that run as one task: from the first one's `from` to the last one's `to`. With arrays of their own in between
/// only where the target keeps them.
using Stretch = std::vector<Stop>;

/// Does the step run at all? Views never do; a half spectrum is left as it is on the way forward.
bool moves_something(const Step& step);

/// The stretches of the program in the order they run, its result multiplied by `scale`. The input is only read; steps
/// that can run in place do so, except the first. Arrays between steps are numbered from the last one to the first.
std::vector<Stretch> cut_in_stretches(const Program& program, double scale, Target& target);

}  // namespace shardfft
