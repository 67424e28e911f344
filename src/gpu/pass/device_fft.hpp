#pragma once
// Transforms of one member's data on its GPU. Arrays begin at multiples of 16 bytes.
#include <memory>
#include <optional>
#include <vector>

#include "gpu/pass/fft_plan.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

/// Plans on the current device; transforms of several axes of large arrays by what is faster there, our own passes or
/// cuFFT, unless spec.effort is estimate; with the option `verify` by what is faster with its check. The input is left
/// unchanged if spec.preserve_input. Complex transforms whose strides are alike on both sides, and those with
/// spec.in_place, may run in place. The output's loops fill it without gaps. `chosen`: plans that were chosen for such
/// transforms before, as texts with " | " between them (Way::passes); the first one that is among those of this
/// transform is taken without a trial. If there is none, and a choice, the plan that is taken is added to them.
std::unique_ptr<DeviceFft> make_device_fft(const FftSpec& spec, bool verify = false, std::string* chosen = nullptr);
/// Begins to compile, on other threads, all kernels that making it may wait for.
void compile_ahead(const FftSpec& spec, bool verify, const std::string& chosen = {});
/// The plans among which a trial decides, the one that is expected to be the fastest first.
std::vector<FftPlan> plans_to_try(const FftSpec& spec, bool verify = false);
/// The plan that is expected to be the fastest, without a trial.
FftPlan plan_fft(const FftSpec& spec);
/// The plan inside one array (stages_in_one_array()).
FftPlan plan_fft_in_place(const FftSpec& spec);
/// Nothing where there are no such passes (padded_stages()). Whether it is fast only a trial tells.
std::optional<FftPlan> plan_padded_fft(const FftSpec& spec);

/// The plan whose pass next to a reshape takes all these owners, whatever the size; nothing where there is none that
/// also checks itself with the option `verify`.
std::optional<FftPlan> plan_storing_fft(const FftSpec& spec, const LineOwners& owners, bool verify);

}  // namespace shardfft::gpu
