#pragma once
// predict() inside the library: of a plan that is being made, and of ways that a tuner would try.
#include "api/problem.hpp"
#include "choose/way.hpp"
#include "shardfft/predict.hpp"

namespace shardfft {

/// The memory, messages and time of the plan of `spec` in a way: its algorithm, exchange, chunks, grid and ranks at
/// work count; libraries and passes need not be named. For `present` of its ranks at most (rank 0 and those with the
/// largest parts): 1 is enough to compare ways. Not collective: the same on all ranks that ask alike. Throws Error if
/// the way does not fit.
Prediction predict(const ProblemSpec& spec, const Way& way, Placement placement, const MachineFigures& machine,
                   int present = 128);

}  // namespace shardfft
