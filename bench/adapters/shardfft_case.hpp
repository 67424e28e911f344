// A case in shardfft's own words, for its drivers on CPUs and on GPUs.
#pragma once

#include <algorithm>
#include <map>
#include <shardfft/shardfft.hpp>
#include <stdexcept>

#include "../native/adapter.hpp"
#include "../native/box.hpp"

namespace shardfft::bench {

inline Transform transform_of(const Case& wanted) {
  return {wanted.real_spectrum() ? shardfft::Kind::r2r
          : wanted.real()        ? shardfft::Kind::r2c
                                 : shardfft::Kind::c2c,
          wanted.single() ? shardfft::Precision::f32 : shardfft::Precision::f64};
}

inline Layout input_layout(const Case& wanted, int ranks) {
  const Shape shape(wanted.shape.begin(), wanted.shape.end());
  if (wanted.layout == LayoutKind::slab) return Layout::slab(shape, ranks, 0);
  if (wanted.layout == LayoutKind::pencil) {
    const auto grid = pencil_grid(wanted, ranks);
    return Layout::pencil(shape, {grid[0], grid[1]});
  }
  if (wanted.layout == LayoutKind::cyclic) return Layout::cyclic(shape, ranks);
  if (wanted.layout == LayoutKind::boxes) {
    if (int(wanted.boxes.size()) != ranks) throw CaseError("case: 'boxes' must have an entry for each rank");
    std::vector<IndexSet> sets;
    for (const auto& box : wanted.boxes) {
      IndexSet set{3, {}};
      for (std::size_t axis = 0; axis < 3; ++axis) set.axis[axis] = {box[axis], box[axis + 3], 1};
      sets.push_back(set);
    }
    return Layout::boxes(shape, std::move(sets));
  }
  const auto grid = brick_grid(wanted, ranks);
  return Layout::brick(shape, {grid[0], grid[1], grid[2]});
}

/// Whether a case has other words for an option, the driver sets it, or its checks know the default only.
inline bool is_set_by_driver(const std::string& option) {
  for (const char* name : {"norm", "axes", "transforms", "modes", "lone_mode", "real_extent", "batch", "effort",
                           "threads", "in_place", "processor", "memory", "device", "stream"})
    if (option == name) return true;
  return false;
}

/// The options of plans that a case may name, and their values where those are known; for Description::options.
inline Json plan_options(Place place) {
  Json options = Json::object();
  for (const OptionRow& row : option_table()) {
    if (is_set_by_driver(row.name) || std::find(row.effect.begin(), row.effect.end(), place) == row.effect.end())
      continue;
    options[row.name] = row.choices;
    if (!row.known) continue;
    options[row.name] = row.known(place);
    options[row.name].push_back("auto");
  }
  return options;
}

inline std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& entry : value) text += (text.empty() ? "" : ",") + text_of(entry);
  return text;
}

inline Options options_of(const Case& wanted, Place place = Place::cpu) {
  Options options;
  options.processor = place == Place::cpu ? Processor::cpu : Processor::gpu;
  options.overwrite_input = true;  // as the other libraries are told, unless the case says no
  const Json known = plan_options(place);
  for (const auto& item : known.items())
    if (wanted.options.contains(item.key())) set_option(options, item.key(), text_of(wanted.options.at(item.key())));
  options.norm = Norm::none;
  for (int axis = 0; axis < 3; ++axis) {
    const AxisKind kind = wanted.axis_kind(axis);
    if (kind == AxisKind::none) continue;
    options.axes.push_back(axis);
    // Both lists have the transforms in the same order.
    options.transforms.push_back(static_cast<AxisTransform>(static_cast<int>(kind) - static_cast<int>(AxisKind::fft)));
    options.modes.push_back(wanted.modes.empty() ? 0 : wanted.modes[static_cast<std::size_t>(axis)]);
  }
  const auto used = wanted.features();
  const auto asked = [&](const char* feature) { return std::find(used.begin(), used.end(), feature) != used.end(); };
  if (!wanted.real_spectrum() && !asked("transforms")) options.transforms.clear();
  if (!asked("axes")) options.axes.clear();
  asked("modes") ? void(options.lone_mode = LoneMode::zero) : options.modes.clear();
  options.batch = wanted.batch;
  if (wanted.layout == LayoutKind::pencil) options.grid.assign(wanted.grid.begin(), wanted.grid.end());
  options.in_place = wanted.in_place();
  if (place != Place::cpu) return options;
  options.effort = static_cast<shardfft::Effort>(wanted.effort);
  options.threads = wanted.threads;
  return options;
}

inline Part part_of(const Layout& layout, int rank) {
  const auto pieces = layout.pieces(rank);
  if (pieces.size() > 1 || (pieces.size() == 1 && pieces[0].offset != 0))
    throw std::runtime_error("this driver knows only layouts of one box a rank");
  Part part;
  for (int axis = 0; pieces.size() == 1 && axis < 3; ++axis) {
    const auto& along = pieces[0].set.axis[axis];
    part.lower[axis] = along.first;
    part.step[axis] = along.count > 1 ? along.stride : 1;
    part.count[axis] = along.count;
    part.stride[axis] = pieces[0].stride[axis];
  }
  return part;
}

// What the plan says, as text and as data, with the sums of its steps' times by activity.
inline Json breakdown_of(const PlanReport& report) {
  std::map<std::string, double> seconds;
  for (const PlanReport::Program* program : {&report.forward, &report.backward})
    for (const PlanReport::Step& step : program->steps)
      for (const PlanReport::Time& time : step.times) seconds[time.activity] += time.seconds;
  return {{"report", report.to_text()}, {"plan", Json::parse(report.to_json())}, {"seconds", seconds}};
}

// Seconds in transforms, with what a step copies while it transforms, and in all, of the runs that the plan has timed.
inline Adapter::FftAccount account_of(const PlanReport& report) {
  Adapter::FftAccount account{0, 0};
  for (const PlanReport::Program* program : {&report.forward, &report.backward}) {
    const auto runs = static_cast<double>(program->timed_runs);
    account.whole += runs * program->mean_seconds;
    for (const PlanReport::Step& step : program->steps)
      for (const PlanReport::Time& time : step.times)
        if (!time.communication && time.activity != "other") account.ffts += runs * time.mean_seconds;
  }
  return account;
}

}  // namespace shardfft::bench
