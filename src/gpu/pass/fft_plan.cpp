#include "gpu/pass/fft_plan.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "lower/fft_spec.hpp"

namespace shardfft::gpu {

namespace {

/// For a stage that no pass takes: callers that refuse such transforms ask first whether they would scale for free.
const PassRecord no_pass{.name = "no pass",
                         .where_it_lies = false,
                         .fits = [](const FftSpec&, const PassUse&) { return false; },
                         .make = [](const FftSpec& spec, const PassUse&) -> PassPointer {
                           fail(Status::internal, "no pass takes ", describe_fft(spec));
                         }};

/// Whether a kernel before the pass scales, and copies the input.
bool keeps_halves(const FftStage& stage) {
  return stage.pass->scales_halves && stage.spec.kind == Kind::c2r && stage.spec.preserve_input;
}

std::string text_of(const FftStage& stage) {
  std::string lengths;
  for (const Loop& axis : stage.spec.transform) lengths.append(" ").append(std::to_string(axis.count));
  const std::string text = std::string(stage.pass->name) + lengths;
  if (keeps_halves(stage)) return "copy + " + text;
  return stage.pass->scales_halves && stage.spec.scale != 1 ? "scale" + lengths + " + " + text : text;
}

bool scales_free(const FftStage& stage) { return stage.pass->scales || keeps_halves(stage); }

bool can_check(const FftStage& stage) { return stage.pass->checks != nullptr && stage.pass->checks(stage.spec); }

}  // namespace

FftPlan::FftPlan(const FftSpec& spec, StageList list) : spec_(spec), list_(std::move(list)) {
  std::vector<FftStage>& stages = list_.stages;
  for (FftStage& stage : stages) {
    stage.pass = find_pass(stage.spec, stage.use);
    if (stage.pass == nullptr) stage.pass = &no_pass;
    stage.use.planes = true;  // reset after the choice, so that stages with one pass are equal
    stage.use.vendor = stage.use.scales = false;
  }
  auto carrier = std::find_if(stages.rbegin(), stages.rend(), gpu::scales_free);
  if (carrier == stages.rend())
    carrier = std::find_if(stages.rbegin(), stages.rend(),
                           [](const FftStage& s) { return s.pass->scales_halves && s.spec.kind == Kind::c2r; });
  if (carrier != stages.rend())
    carrier->spec.scale = spec.scale;
  else if (spec.scale != 1 && !is_empty(spec))
    stages.push_back({spec, {PassBuffer::out}, {PassBuffer::out}, {}, &scale_pass});
}

bool FftPlan::is_own() const {
  return std::all_of(list_.stages.begin(), list_.stages.end(), [](const FftStage& stage) { return stage.pass->own; });
}

bool FftPlan::has_passes() const {
  return std::none_of(list_.stages.begin(), list_.stages.end(),
                      [](const FftStage& stage) { return stage.pass == &no_pass; });
}

bool FftPlan::runs_where_it_lies() const {
  return std::all_of(list_.stages.begin(), list_.stages.end(),
                     [](const FftStage& stage) { return stage.pass->where_it_lies && !keeps_halves(stage); });
}

bool FftPlan::sums_lines() const { return std::all_of(list_.stages.begin(), list_.stages.end(), can_check); }

bool FftPlan::checks_itself() const {
  return sums_lines() && std::all_of(list_.stages.begin(), list_.stages.end(),
                                     [](const FftStage& stage) { return stage.pass->own || stage.use.sums_rows; });
}

bool FftPlan::accepts(const LineOwners& owners) const {
  if (list_.stages.empty()) return false;
  const FftStage& stage = owners.side == LineOwners::Side::input ? list_.stages.front() : list_.stages.back();
  return stage.pass->accepts != nullptr && stage.pass->accepts(stage.spec, stage.use, owners);
}

bool FftPlan::has_planes() const {
  return std::any_of(list_.stages.begin(), list_.stages.end(),
                     [](const FftStage& stage) { return stage.pass->own && stage.spec.transform.size() > 1; });
}

bool FftPlan::scales_free() const {
  return is_empty(spec_) || std::any_of(list_.stages.begin(), list_.stages.end(), gpu::scales_free);
}

std::size_t FftPlan::crossings() const {
  std::size_t sum = 0;
  for (const FftStage& stage : list_.stages)
    sum += stage.pass->own ? 1 : std::max<std::size_t>(1, stage.spec.transform.size());
  return sum;
}

std::set<std::string> FftPlan::kernels() const {
  std::set<std::string> all;
  for (const FftStage& stage : list_.stages)
    if (stage.pass->own) all.insert(text_of(stage));
  return all;
}

bool FftPlan::links() const {
  return std::any_of(list_.stages.begin(), list_.stages.end(),
                     [](const FftStage& stage) { return stage.pass == &pass_named("scaled cufft"); });
}

std::string FftPlan::text() const {
  std::string text;
  for (const FftStage& stage : list_.stages) text.append(text.empty() ? "" : " + ").append(text_of(stage));
  return text + list_.beside;
}

void FftPlan::compile_ahead(bool verify) const {
  for (const FftStage& stage : list_.stages)
    if (stage.pass->compile_ahead != nullptr) stage.pass->compile_ahead(stage.spec, stage.use, verify && sums_lines());
}

void FftPlan::compile_to_multiply() const {
  if (list_.stages.empty()) return;
  const FftStage& last = list_.stages.back();
  if (last.pass->compile_to_multiply != nullptr) last.pass->compile_to_multiply(last.spec, last.use);
}

std::unique_ptr<DeviceFft> FftPlan::make(bool verify) const {
  compile_ahead(verify);
  std::vector<PlacedPass> passes;
  std::size_t most = 0;
  std::string names;
  for (const FftStage& stage : list_.stages) {
    PlacedPass& placed = passes.emplace_back(PlacedPass{stage.from, stage.to, stage.pass->make(stage.spec, stage.use)});
    placed.out_bytes = static_cast<std::size_t>(points(output_loops(stage.spec))) * output_element(stage.spec).bytes();
    placed.checks = can_check(stage);
    if (!verify || !sums_lines()) placed.pass->prepare(false);
    most = std::max(most, placed.pass->scratch_bytes());
    names += (names.empty() ? " by " : ", ") + placed.pass->name();
  }
  // Passes run one after the other: one piece of scratch serves all.
  const std::size_t shared = round_up(list_.scratch, scratch_alignment);
  return std::make_unique<DeviceFft>(std::move(passes), shared, most, list_.in_place,
                                     describe_fft(spec_) + list_.how + names + list_.beside);
}

}  // namespace shardfft::gpu
