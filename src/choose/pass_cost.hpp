#pragma once
// The work of a transform on a GPU: the kernels of its passes, and the bytes that they move.
#include <string>

#include "choose/cost_model.hpp"

namespace shardfft {

/// Adds the passes of `step` on `rank`, and its operations. `passes`: as Way::passes has them; empty: those that plans
/// make by rule, with one that multiplies by a factor if the results are `scaled`. Pure geometry.
void add_passes(StepCost& cost, const TransformStep& step, const State& before, const State& after,
                const std::string& passes, bool scaled, int rank, Precision precision);

}  // namespace shardfft
