#pragma once
// Transforms of one member's data on its GPU. Arrays begin at multiples of 16 bytes.
#include <memory>
#include <optional>
#include <vector>

#include "gpu/pass/fft_plan.hpp"
#include "local/local_fft.hpp"
#include "shardfft/report.hpp"

namespace shardfft::gpu {

/// Makes a transform on the current device. For several axes of large arrays it uses own passes or cuFFT, as a trial
/// finds faster, unless spec.effort is estimate; with the option `verify` the trial includes the checks. The input
/// stays unchanged if spec.preserve_input. Complex transforms with the same strides on both sides, and those with
/// spec.in_place, may run in place. The output's loops fill it without gaps. `chosen`: plans that were chosen for such
/// transforms before, as texts with " | " between them (Way::passes). The first one that this transform has is used
/// without a trial. If there is none, and there is a choice, the plan that is used is added. `told`: if a trial has
/// decided, it gets the plan that is used, and the times of all.
std::unique_ptr<DeviceFft> make_device_fft(const FftSpec& spec, bool verify = false, std::string* chosen = nullptr,
                                           Choice* told = nullptr);
/// Begins to compile, on other threads, all kernels that making it may wait for.
void compile_ahead(const FftSpec& spec, bool verify, const std::string& chosen = {});
/// The plans among which a trial decides, the one with the least expected time first.
std::vector<FftPlan> plans_to_try(const FftSpec& spec, bool verify = false);
/// The plan with the least expected time, without a trial.
FftPlan plan_fft(const FftSpec& spec);
/// The plan inside one array (stages_in_one_array()).
FftPlan plan_fft_in_place(const FftSpec& spec);
/// None if there are no such passes (padded_stages()). Only a trial tells whether it is fast.
std::optional<FftPlan> plan_padded_fft(const FftSpec& spec);

/// The plan whose pass next to a reshape accepts all these owners, for arrays of any size; none if there is no such
/// plan. With the option `verify` it must also check itself.
std::optional<FftPlan> plan_storing_fft(const FftSpec& spec, const LineOwners& owners, bool verify);

}  // namespace shardfft::gpu
