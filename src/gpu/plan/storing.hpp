#pragma once
// Passes before a reshape between GPUs that store their results directly at the reshape's destinations.
#include <optional>

#include "gpu/pass/fft_plan.hpp"
#include "schedule/local_transform.hpp"

namespace shardfft::gpu {

/// How the transform `before` a reshape to the layout `to` stores its results on `rank`; none if it cannot.
std::optional<FftPlan> storing_plan(const LocalTransform& before, const Layout& to, int rank, Precision precision,
                                    bool verify);

}  // namespace shardfft::gpu
