#include "gpu/pass/device_fft.hpp"

#include "gpu/pass/device_fft_trial.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// With `sums_rows` contiguous lines have passes with sums only where all passes have them.
FftPlan plan_between(const FftSpec& spec, const OwnPasses& own, bool sums_rows) {
  FftPlan plan(spec, stages_between(spec, own, sums_rows));
  return sums_rows && !plan.checks_itself() ? FftPlan(spec, stages_between(spec, own, false)) : plan;
}

std::size_t fastest(const std::vector<FftPlan>& plans, const FftSpec& spec, bool verify) {
  DeviceFftTrial trial(spec, verify);
  for (const FftPlan& plan : plans)
    if (!trial.add([&plan] { return plan.make(); })) break;
  return trial.fastest();
}

}  // namespace

FftPlan plan_fft(const FftSpec& spec) { return plan_between(spec, {}, false); }

FftPlan plan_fft_in_place(const FftSpec& spec) { return FftPlan(spec, stages_in_one_array(spec)); }

std::optional<FftPlan> plan_padded_fft(const FftSpec& spec) {
  StageList list = padded_stages(spec);
  if (list.stages.empty()) return std::nullopt;
  FftPlan plan(spec, std::move(list));
  return plan.is_own() ? std::optional(std::move(plan)) : std::nullopt;
}

std::unique_ptr<DeviceFft> make_device_fft(const FftSpec& spec, bool verify) {
  const std::size_t axes = spec.transform.size();
  if (spec.effort == Effort::estimate || axes < 2 || spec.kind == Kind::r2r ||
      points(input_loops(spec)) < gpu_defaults().elements_worth_passes)
    return plan_fft(spec).make();
  std::vector<FftPlan> plans;
  const auto add = [&plans](FftPlan plan) {
    if (plans.empty() || !(plans.back() == plan)) plans.push_back(std::move(plan));
  };
  for (const bool planes : {true, false})
    for (std::size_t own = axes + 1; own-- > (planes ? 2 : 0);) add(plan_between(spec, {own, planes}, verify));
  if (verify) add(plan_between(spec, {axes, false}, false));
  if (auto padded = plan_padded_fft(spec)) add(std::move(*padded));
  return plans[fastest(plans, spec, verify)].make();
}

}  // namespace shardfft::gpu
