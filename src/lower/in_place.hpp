#pragma once
// The requirements of transforms inside one array (workspace = least) on the order of axes in memory.
#include "algorithm/program.hpp"

namespace shardfft {

/// Throws Error(unsupported) if a transform that keeps its numbers changes the order of axes in memory.
void require_same_order(const State& before, const State& after);
/// Throws Error(unsupported) if the halved axis is not the fastest one, or the other axes change their order.
void require_real_in_place(const TransformStep& step, const State& before, const State& after);

}  // namespace shardfft
