#include "gpu/pass/axis_groups.hpp"

#include <algorithm>

#include "local/loops.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

constexpr std::size_t most_cufft_axes = 3;

}  // namespace

PassUse AxisGroups::use() const {
  PassUse use;
  use.planes = own_.planes && own_.most_axes >= 2;
  use.small = own_.small;
  use.vendor = !own_.vendor_calls.empty();
  use.scales = own_.vendor_scales;
  return use;
}

/// Axes of more than one point, the slowest of the input first.
AxisGroup AxisGroups::all_axes() const {
  AxisGroup axes;
  for (std::size_t i = 0; i < spec_.transform.size(); ++i)
    if (spec_.transform[i].count > 1) axes.push_back(i);
  std::stable_sort(axes.begin(), axes.end(),
                   [this](std::size_t a, std::size_t b) { return spec_.transform[a].from > spec_.transform[b].from; });
  return axes;
}

AxisGroup AxisGroups::other_axes() const {
  AxisGroup axes = all_axes();
  std::erase(axes, half_axis());
  return axes;
}

/// Removes from `axes` the slowest ones that line passes can run, and returns them. `planes`: axes of planes, which
/// count too. `side`: the side whose strides the stages have.
std::vector<AxisGroup> AxisGroups::take_lines(AxisGroup& axes, Strides side, const AxisGroup& planes) const {
  std::vector<AxisGroup> lines;
  const std::int64_t numbers = points(spec_.kind == Kind::c2r ? output_loops(spec_) : input_loops(spec_));
  if (!own_.small && numbers < gpu_defaults().elements_worth_passes) return lines;
  while (!axes.empty() && lines.size() + planes.size() < own_.most_axes &&
         find_own_pass(stage(Kind::c2c, {axes.front()}, side, side)) != nullptr) {
    lines.insert(lines.begin(), {axes.front()});
    axes.erase(axes.begin());
  }
  return lines;
}

/// Removes the two fastest axes from `axes` if a plane pass can run them, and returns them.
AxisGroup AxisGroups::take_planes(AxisGroup& axes, Strides side) const {
  if (axes.size() < 2) return {};
  AxisGroup planes(axes.end() - 2, axes.end());
  for (const Strides from : {Strides::in, side})  // as the first stage, or as a later one
    if (!takes_planes(stage(Kind::c2c, planes, from, side))) return {};
  axes.resize(axes.size() - 2);
  return planes;
}

/// The groups that OwnPasses::vendor_calls asks for.
std::vector<AxisGroup> AxisGroups::called(AxisGroup axes) const {
  std::vector<AxisGroup> groups;
  for (const std::size_t wanted : own_.vendor_calls) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(wanted, axes.size()));
    if (count > 0) groups.emplace_back(axes.end() - count, axes.end());
    axes.erase(axes.end() - count, axes.end());
  }
  return groups;
}

std::vector<AxisGroup> AxisGroups::single() const {
  std::vector<AxisGroup> groups;
  for (std::size_t i = 0; i < spec_.transform.size(); ++i) groups.push_back({i});
  return groups;
}

/// Groups of axes that one call can take: neighbours in the same order on both sides, otherwise single axes. The
/// fastest come first.
std::vector<AxisGroup> AxisGroups::complex(AxisGroup axes, Strides side) const {
  const AxisGroup planes = take_planes(axes, side);
  std::vector<AxisGroup> lines = take_lines(axes, side, planes);
  if (axes.empty() && !planes.empty())
    lines.insert(lines.begin(), planes);
  else
    axes.insert(axes.end(), planes.begin(), planes.end());  // one call of cuFFT takes these too
  const bool ordered = std::is_sorted(axes.begin(), axes.end(), [this](std::size_t a, std::size_t b) {
    return spec_.transform[a].to > spec_.transform[b].to;
  });
  const std::size_t most = ordered ? most_cufft_axes : 1;
  std::vector<AxisGroup> groups;
  for (std::size_t end = axes.size(); end > 0;) {
    const std::size_t begin = end > most ? end - most : 0;
    groups.emplace_back(axes.begin() + static_cast<std::ptrdiff_t>(begin),
                        axes.begin() + static_cast<std::ptrdiff_t>(end));
    end = begin;
  }
  groups.insert(groups.end(), lines.begin(), lines.end());
  return groups;
}

std::vector<AxisGroup> AxisGroups::real(Strides side) const {
  AxisGroup around = other_axes(), planes;
  if (!own_.vendor_calls.empty()) {
    around.push_back(half_axis());
    return called(around);
  }
  if (!around.empty() && takes_planes(stage(spec_.kind, {around.back(), half_axis()}, Strides::in, Strides::out))) {
    planes = {around.back()};
    around.pop_back();
  }
  const std::vector<AxisGroup> lines = take_lines(around, side, planes);
  around.insert(around.end(), planes.begin(), planes.end());
  const Loop& half = spec_.transform[half_axis()];
  const auto sorted = [&](auto stride) {
    return std::is_sorted(around.begin(), around.end(), [&](std::size_t a, std::size_t b) {
      return spec_.transform[a].*stride > spec_.transform[b].*stride;
    });
  };
  const bool inside = std::all_of(around.begin(), around.end(), [&](std::size_t a) {
    return spec_.transform[a].from > half.from && spec_.transform[a].to > half.to;
  });
  if (!inside || around.size() >= most_cufft_axes || !sorted(&Loop::to)) {
    std::vector<AxisGroup> groups{{half_axis()}};
    const std::vector<AxisGroup> rest = complex(other_axes(), side);
    groups.insert(groups.end(), rest.begin(), rest.end());
    return groups;
  }
  around.push_back(half_axis());
  std::vector<AxisGroup> groups{around};
  groups.insert(groups.end(), lines.begin(), lines.end());
  return groups;
}

FftSpec AxisGroups::stage(Kind kind, const AxisGroup& group, Strides from, Strides to) const {
  FftSpec stage = spec_;
  stage.kind = kind;
  stage.scale = 1;
  stage.transform.clear();
  stage.types.clear();
  const auto between = [&](Loop d) {
    const Loop sides = d;
    d.from = from == Strides::in ? sides.from : sides.to;
    d.to = to == Strides::out ? sides.to : sides.from;
    return d;
  };
  for (Loop& d : stage.batch) d = between(d);
  for (const std::size_t axis : group) stage.transform.push_back(between(spec_.transform[axis]));
  if (kind == Kind::r2r)
    for (const std::size_t axis : group) stage.types.push_back(spec_.types[axis]);
  for (std::size_t i = 0; i < spec_.transform.size(); ++i) {
    if (std::find(group.begin(), group.end(), i) != group.end()) continue;
    Loop d = between(spec_.transform[i]);
    if (is_halved(spec_) && i == half_axis()) d.count = d.count / 2 + 1;
    stage.batch.push_back(d);
  }
  return stage;
}

}  // namespace shardfft::gpu
