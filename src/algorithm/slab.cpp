// Slab: planes, one exchange (FFT-ECP section 3.3; Verma et al. section 3).
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

/// The only cut axis of a grid layout, or -1.
int only_cut(const Layout& layout) {
  if (!layout.is_grid()) return -1;
  int cut = -1;
  for (int a = 0; a < layout.axes(); ++a) {
    if (layout.parts(a).size() == 1) continue;
    if (cut >= 0) return -1;
    cut = a;
  }
  return cut;
}

/// The longest axis that need not be transformed, or -1.
int idle_axis(const Problem& p) {
  int idle = -1;
  for (int a = 1; a < p.input.axes(); ++a)
    if (!p.transforms(a) &&
        (idle < 0 || p.input.shape()[static_cast<std::size_t>(a)] > p.input.shape()[static_cast<std::size_t>(idle)]))
      idle = a;
  return idle;
}

bool has_planes(const Problem& p, int axis) {
  return axis > 0 && p.input.shape()[static_cast<std::size_t>(axis)] >= p.ranks();
}

/// The axis the first stage is cut along: the input's own if it may stay, else one that need not be transformed,
/// else the first transformed axis.
int first_cut(const Problem& p) {
  const int own = only_cut(p.input);
  if (own > 0 && own != p.half_axis() && (p.axes.size() > 1 || !p.transforms(own))) return own;
  const int idle = idle_axis(p);
  if (has_planes(p, idle)) return idle;
  if (p.axes.size() > 1) return p.axes.front() != p.half_axis() ? p.axes.front() : p.axes[p.axes.size() - 2];
  return idle;
}

/// Modes along a transformed axis.
std::int64_t modes_after(const Problem& p, int axis) {
  const std::int64_t kept = p.modes_of(axis, p.input.shape()[static_cast<std::size_t>(axis)]);
  return axis == p.half_axis() ? kept / 2 + 1 : kept;
}

/// The transformed axes that are whole on every rank.
std::vector<int> whole_axes(const Problem& p) {
  std::vector<int> whole;
  for (const int a : p.axes)
    if (p.input.axis_is_local(a)) whole.push_back(a);
  return whole;
}

/// Every rank has a part of the array, cut along two axes or more.
bool is_cut_twice(const Layout& layout) {
  if (!layout.is_grid() || only_cut(layout) >= 0) return false;
  std::int64_t parts = 1;
  for (int a = 0; a < layout.axes(); ++a) parts *= static_cast<std::int64_t>(layout.parts(a).size());
  return parts > 1 && parts == layout.ranks();
}

/// The axis along which lines that were transformed where they are can be cut in a plane for every rank: the slowest
/// one, whose runs are longest. -1 if there is none.
int cut_after_lines(const Problem& p, const std::vector<int>& whole) {
  const auto suffices = [&](int a) { return modes_after(p, a) >= p.ranks(); };
  const auto found = std::find_if(whole.begin(), whole.end(), suffices);
  return found != whole.end() ? *found : -1;
}

Program from_lines(const Problem& problem, const std::vector<int>& whole) {
  ProgramBuilder builder("slab", problem);
  builder.fft(whole);
  const Shape shape = builder.state().layout.shape();
  const int cut = cut_after_lines(problem, whole);
  const GridDim planes{cut, runs(shape[static_cast<std::size_t>(cut)], problem.ranks()), problem.ranks()};
  builder.reshape_freely(cut_layout(shape, {planes}, problem.ranks()));
  std::vector<int> rest;
  for (const int a : problem.axes)
    if (std::find(whole.begin(), whole.end(), a) == whole.end()) rest.push_back(a);
  builder.fft(rest);
  return builder.finish();
}

}  // namespace

bool lines_become_planes(const Problem& problem) {
  if (!is_cut_twice(problem.input) || has_planes(problem, idle_axis(problem))) return false;
  const std::vector<int> whole = whole_axes(problem);
  const bool half_is_whole = problem.half_axis() < 0 || problem.input.axis_is_local(problem.half_axis());
  return half_is_whole && whole.size() < problem.axes.size() && cut_after_lines(problem, whole) > 0;
}

Program slab_program(const Problem& problem) {
  if (lines_become_planes(problem)) return from_lines(problem, whole_axes(problem));
  ProgramBuilder builder("slab", problem);
  const int cut = first_cut(problem);
  require(cut > 0 || problem.ranks() == 1,
          "algorithm slab needs two axes; 1-D arrays over several ranks need six_step or cyclic");
  const Shape& shape = problem.input.shape();
  const bool stays = only_cut(problem.input) == cut;
  std::vector<GridDim> dims;
  if (cut > 0) {
    const auto c = static_cast<std::size_t>(cut);
    auto parts =
        stays && problem.input.rank_stride()[c] == 1 ? problem.input.parts(cut) : runs(shape[c], problem.ranks());
    const auto ranks = static_cast<std::int64_t>(parts.size());
    dims.push_back({cut, std::move(parts), ranks});
  }
  builder.reshape(cut_layout(shape, dims, problem.ranks(), cut <= 0 || stays ? problem.input.order() : AxisOrder{}));
  swap_stages(builder, problem, dims);
  return builder.finish();
}

}  // namespace shardfft
