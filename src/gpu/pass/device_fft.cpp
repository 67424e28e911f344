#include "gpu/pass/device_fft.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "choose/measured.hpp"
#include "device/begin_kernels.hpp"
#include "device/line_pass.hpp"
#include "device/line_recipe.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/pass/fastest_fft.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// With `sums_rows`, contiguous lines use passes with sums only if all passes have sums.
FftPlan plan_between(const FftSpec& spec, const OwnPasses& own, bool sums_rows) {
  FftPlan plan(spec, stages_between(spec, own, sums_rows));
  return sums_rows && !plan.checks_itself() ? FftPlan(spec, stages_between(spec, own, false)) : plan;
}

/// Ways to divide the axes among calls of cuFFT. The first one is cuFFT's own, which may need a copy of the input: it
/// is tried for every transform. With a prime length, one call for all axes may cross memory more often than several
/// calls, which run in place after the first one. These are left out if own passes support all lengths.
std::vector<std::vector<std::size_t>> vendor_calls(const FftSpec& spec) {
  const Loops& axes = spec.transform;
  const bool own = std::all_of(axes.begin(), axes.end(), [](const Loop& axis) {
    return axis.count <= device::lines::longest_line && device::lines::supported(static_cast<int>(axis.count));
  });
  if (own || axes.size() == 1) return {{axes.size()}};
  if (axes.size() == 2) return {{2}, {1, 1}};
  if (axes.size() != 3) return {};
  return {{3}, {2, 1}, {1, 2}, {1, 1, 1}};
}

const std::string between_texts = " | ";

bool among(const std::string& texts, const FftPlan& plan) {
  return (between_texts + texts + between_texts).find(between_texts + plan.text() + between_texts) != std::string::npos;
}

/// The first plan with the own passes of one of these texts. The texts tell of the transform on other conditions, such
/// as an input that must stay: only calls of cuFFT differ then.
std::vector<FftPlan>::iterator with_own_passes(std::vector<FftPlan>& plans, const std::string& texts) {
  std::set<std::string> known;
  for (const FftPlan& plan : plans) known.merge(plan.kernels());
  for (std::size_t begin = 0; begin < texts.size();) {
    const std::size_t end = std::min(texts.find(between_texts, begin), texts.size());
    const std::string text = " + " + texts.substr(begin, end - begin) + " + ";
    std::set<std::string> kernels;
    for (const std::string& kernel : known)
      if (text.find(" + " + kernel + " + ") != std::string::npos) kernels.insert(kernel);
    const auto found =
        std::find_if(plans.begin(), plans.end(), [&](const FftPlan& plan) { return plan.kernels() == kernels; });
    if (found != plans.end()) return found;
    begin = end + between_texts.size();
  }
  return plans.end();
}

/// Whether there are several plans.
bool has_choice(const FftSpec& spec) { return !spec.transform.empty() && spec.kind != Kind::r2r && !is_empty(spec); }

/// Whether several plans may be the fastest one. Of c2r that keeps its input, small ones too: cuFFT needs a copy for
/// one call, and none for two. Of transforms with a scale, small ones: cuFFT may scale by the way.
bool is_worth_a_trial(const FftSpec& spec) {
  if (has_choice(spec) && spec.scale != 1 && spec.effort == Effort::patient) return true;
  const bool kept = spec.kind == Kind::c2r && spec.preserve_input && spec.transform.size() > 1;
  std::int64_t elements = gpu_defaults().elements_worth_passes;
  if (kept) elements = std::min(elements, gpu_defaults().elements_worth_trying);
  if (spec.scale != 1) elements = std::min(elements, gpu_defaults().elements_worth_linking);
  return has_choice(spec) && points(input_loops(spec)) >= elements;
}

/// The plans that make_device_fft() makes: one if there is no trial.
std::vector<FftPlan> plans_for(const FftSpec& spec, bool verify, const std::string& chosen) {
  FftPlan expected = plan_fft(spec);
  const bool tries = is_worth_a_trial(spec) && spec.effort != Effort::estimate;
  const bool knows = has_choice(spec) && !chosen.empty();
  if ((!tries && !knows) || among(chosen, expected)) return {std::move(expected)};
  std::vector<FftPlan> plans = plans_to_try(spec, verify);
  auto known = std::find_if(plans.begin(), plans.end(), [&](const FftPlan& plan) { return among(chosen, plan); });
  if (known == plans.end()) known = with_own_passes(plans, chosen);
  const bool there =
      known != plans.end() && (!known->links() || device::VendorFft::takes_scale(spec.kind, spec.precision));
  if (there) return {std::move(*known)};
  if (!tries) return {std::move(expected)};
  return plans;
}

/// An operator may come, which the last pass then multiplies by.
void begin_to_multiply(const FftSpec& spec, const FftPlan& plan, bool verify) {
  if (!verify && spec.direction == Direction::forward && spec.effort != Effort::estimate) plan.compile_to_multiply();
}

/// Kernels that multiply begin last, and here only if there are cores to spare.
void begin_kernels(const FftSpec& spec, const std::vector<FftPlan>& plans, bool verify) {
  for (const FftPlan& plan : plans) plan.compile_ahead(verify);
  if (!device::has_cores_for_kernels(1)) return;
  for (const FftPlan& plan : plans) begin_to_multiply(spec, plan, verify);
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

std::optional<FftPlan> plan_storing_fft(const FftSpec& spec, const LineOwners& owners, bool verify) {
  if (!owners.has_all() || spec.kind == Kind::r2r) return std::nullopt;
  for (const bool planes : {true, false}) {
    FftPlan plan = plan_between(spec, {.planes = planes, .small = true}, verify);
    if (plan.has_passes() && plan.accepts(owners) && (!verify || plan.checks_itself())) return plan;
  }
  return std::nullopt;
}

std::vector<FftPlan> plans_to_try(const FftSpec& spec, bool verify) {
  const std::size_t axes = spec.transform.size();
  std::vector<FftPlan> plans;
  const auto add = [&plans](FftPlan plan) {
    if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
  };
  for (const bool planes : {true, false})
    for (std::size_t own = axes + 1; own-- > (planes ? 2 : 0);) add(plan_between(spec, {own, planes}, verify));
  if (verify) add(plan_between(spec, {axes, false}, false));
  for (const std::vector<std::size_t>& calls : vendor_calls(spec))
    if (FftPlan plan = plan_between(spec, {0, false, calls}, false); plan.has_passes()) add(std::move(plan));
  if (auto padded = plan_padded_fft(spec)) add(std::move(*padded));
  const auto add_scaled = [&](std::vector<std::size_t> calls) {
    if (FftPlan plan = plan_between(spec, {0, false, std::move(calls), true}, false); plan.has_passes())
      add(std::move(plan));
  };
  // A copy that protects the input scales by the way. c2r of lines alone needs no kernel of ours before it.
  const bool copies = spec.kind == Kind::c2r && spec.preserve_input;
  if (spec.scale != 1 && !copies) add_scaled({axes});
  if (spec.scale != 1 && spec.kind == Kind::c2r && axes > 1) add_scaled({1, axes - 1});
  // If the expected plan is all own passes, no kernels are compiled for plans that cross memory more often.
  const std::set<std::string> kernels = plans.front().kernels();
  const std::size_t crossings = plans.front().crossings();
  const bool is_own = plans.front().is_own();
  std::erase_if(plans, [&](const FftPlan& plan) {
    const std::set<std::string> its = plan.kernels();
    return is_own && plan.crossings() > crossings &&
           !std::includes(kernels.begin(), kernels.end(), its.begin(), its.end());
  });
  return plans;
}

std::unique_ptr<DeviceFft> make_device_fft(const FftSpec& spec, bool verify, std::string* chosen, Choice* told) {
  const std::vector<FftPlan> plans = plans_for(spec, verify, chosen != nullptr ? *chosen : std::string());
  begin_kernels(spec, plans, verify);
  std::vector<FftWay> ways;
  for (const FftPlan& plan : plans)
    ways.emplace_back([&plan, verify] { return plan.make(verify); }, plan.kernels().size(), plan.links());
  std::vector<double> seconds;
  std::unique_ptr<DeviceOperation> tried;
  const FftPlan& taken = plans[fastest_fft(spec, verify, ways, &seconds, &tried)];
  Measured measured;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (std::isfinite(seconds[i])) measured.add(plans[i].text(), seconds[i]);
  if (told != nullptr && plans.size() > 1) told->chosen = taken.text(), told->why = measured.text();
  try {
    auto made = tried ? std::unique_ptr<DeviceFft>(static_cast<DeviceFft*>(tried.release())) : taken.make(verify);
    begin_to_multiply(spec, taken, verify);
    if (chosen != nullptr && (is_worth_a_trial(spec) || !chosen->empty()) && !among(*chosen, taken))
      chosen->append(chosen->empty() ? "" : between_texts).append(taken.text());
    return made;
  } catch (const Error& error) {
    if (error.code() != Status::unsupported || !taken.links() || chosen == nullptr || chosen->empty()) throw;
  }
  chosen->clear();  // it was chosen with another cuFFT: the one that is here does not scale results of such a length
  return make_device_fft(spec, verify, chosen, told);
}

void compile_ahead(const FftSpec& spec, bool verify, const std::string& chosen) {
  begin_kernels(spec, plans_for(spec, verify, chosen), verify);
}

}  // namespace shardfft::gpu
