#pragma once
// Passes before a reshape between GPUs that store what they make where the reshape leads.
#include <optional>

#include "gpu/pass/fft_plan.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

/// How the transform `before` a reshape to the layout `to` stores on `rank`; nothing where it cannot.
std::optional<FftPlan> storing_plan(const Pass& before, const Layout& to, int rank, Precision precision, bool verify);

}  // namespace shardfft::gpu
