#include "algorithm/builder.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace shardfft {

ProgramBuilder::ProgramBuilder(std::string algorithm, const Problem& problem) : problem_(problem) {
  program_.algorithm = std::move(algorithm);
  program_.active = problem.active;
  program_.grid = problem.grid;
  if (problem.active > 0)
    program_.algorithm += " on " + std::to_string(problem.active) + " of " + std::to_string(problem.ranks()) + " ranks";
  program_.states.push_back({problem.input, problem.kind == Kind::c2c});
}

void ProgramBuilder::reshape(const Layout& layout) {
  if (!state().layout.same_as(layout)) return step(ReshapeStep{}, {layout, state().is_complex});
  if (!problem_.padded.empty()) program_.states.back().layout = layout;  // whose cuts go on when points are added
}

void ProgramBuilder::reshape_freely(const Layout& layout) {
  const std::size_t before = program_.steps.size();
  reshape(layout);
  if (program_.steps.size() > before) program_.states.back().free_order = true;
}

/// A halved axis whose array loses modes is transformed alone. Its inverse then ignores the imaginary parts that must
/// vanish in each line; over several axes libraries differ there.
void ProgramBuilder::fft(const std::vector<int>& axes) {
  std::vector<int> together;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const std::int64_t own = state().layout.shape()[static_cast<std::size_t>(*axis)];
    const std::int64_t n = problem_.padded_to(*axis, own);
    if (n > own) {
      transform(together);
      together.clear();
      pad(*axis, n);
    }
    together.insert(together.begin(), *axis);
    const bool cut = problem_.modes_of(*axis, n) < n;
    if (!cut && !(*axis == problem_.half_axis() && !problem_.modes.empty())) continue;
    transform(together);
    if (cut) keep_modes(std::get<TransformStep>(program_.steps.back()).axes.front());
    together.clear();
  }
  transform(together);
}

void ProgramBuilder::keep_modes(const AxisStep& axis) {
  KeptModes modes;
  const std::int64_t kept = problem_.modes_of(axis.axis, axis.in);
  modes.axis = axis.axis;
  modes.all = axis.out;
  modes.halved = axis.kind == Kind::r2c;
  modes.kept = modes.halved ? kept / 2 + 1 : kept;
  modes.two_sided = axis.kind == Kind::c2c;
  modes.lone = axis.kind != Kind::r2r && kept % 2 == 0;
  modes.rule = problem_.lone_mode;
  State next = state();
  next.layout = state().layout.with_axis_extent(axis.axis, modes.kept);
  step(ModesStep{modes}, next);
}

void ProgramBuilder::pad(int axis, std::int64_t points) {
  KeptModes own;
  own.axis = axis;
  own.all = points;
  own.kept = state().layout.shape()[static_cast<std::size_t>(axis)];
  own.two_sided = false;
  own.points = true;
  State next = state();
  next.layout = state().layout.with_axis_extent(axis, points);
  step(ModesStep{own, Direction::backward}, next);
}

void ProgramBuilder::transform(const std::vector<int>& axes) {
  if (axes.empty()) return;
  for (const int a : axes)
    if (!state().layout.axis_is_local(a)) fail(Status::internal, "axis ", a, " is transformed although it is cut");
  const bool any_fourier =
      std::any_of(axes.begin(), axes.end(), [this](int a) { return problem_.type(a) == AxisTransform::fft; });
  const Kind kind = state().is_complex || !any_fourier ? Kind::c2c : Kind::r2c;
  if (kind == Kind::r2c && axes.back() != problem_.half_axis())
    fail(Status::internal, "a real array's first Fourier transform must end with the halved axis");
  TransformStep transform = fourier_step(axes, kind, state().layout.shape());
  for (AxisStep& a : transform.axes) {
    a.type = problem_.type(a.axis);
    if (a.type != AxisTransform::fft) a.kind = Kind::r2r;
  }
  const State next = state_after(transform, state());
  step(std::move(transform), next);
}

void ProgramBuilder::step(Step step, State state) {
  program_.steps.push_back(std::move(step));
  program_.states.push_back(std::move(state));
}

Program ProgramBuilder::finish() {
  if (problem_.fixed_output()) {
    reshape(problem_.output);
    program_.states.back().free_order = false;
  }
  return std::move(program_);
}

std::vector<Progression> runs(std::int64_t extent, std::int64_t ranks) {
  std::vector<Progression> parts;
  for (std::int64_t i = 0; i < ranks; ++i) parts.push_back(block_part(extent, ranks, i));
  return parts;
}

Layout cut_layout(const Shape& shape, const std::vector<GridDim>& dims, int ranks, const AxisOrder& order) {
  std::vector<std::vector<Progression>> parts(shape.size());
  std::vector<int> rank_stride(shape.size(), 1);
  for (std::size_t a = 0; a < shape.size(); ++a) parts[a] = {Progression{0, shape[a], 1}};
  std::int64_t stride = 1;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    const auto a = static_cast<std::size_t>(dim->axis);
    parts[a] = dim->parts;
    rank_stride[a] = narrow(stride, "rank stride");
    stride *= dim->ranks;
  }
  return Layout::grid(shape, std::move(parts), ranks, rank_stride, order);
}

namespace {

bool is_cut(const std::vector<GridDim>& dims, int axis) {
  return std::any_of(dims.begin(), dims.end(), [axis](const GridDim& d) { return d.axis == axis; });
}

std::int64_t indices(const std::vector<Progression>& parts) {
  std::int64_t sum = 0;
  for (const Progression& p : parts) sum += p.count;
  return sum;
}

/// The axis that takes over a cut: the slowest one that is whole and needs no further transform. If there are several
/// and the slowest is kept, the one after it. Never the batch.
int swap_axis(int axes, const std::vector<GridDim>& dims, const std::vector<int>& waiting, bool keeps_slowest) {
  int slowest = -1;
  for (int a = 1; a < axes; ++a) {
    if (is_cut(dims, a) || std::find(waiting.begin(), waiting.end(), a) != waiting.end()) continue;
    if (!keeps_slowest || slowest >= 0) return a;
    slowest = a;
  }
  return slowest;
}

/// Whether an axis can be transformed where it is: one rank alone may have all of a cut axis, but not the points that
/// are added to it.
bool stays_whole(const Layout& layout, const Problem& problem, int axis) {
  const std::int64_t points = problem.padded_to(axis, layout.shape()[static_cast<std::size_t>(axis)]);
  return layout.axis_is_local(axis) && layout.with_axis_extent(axis, points).axis_is_local(axis);
}

}  // namespace

void swap_stages(ProgramBuilder& builder, const Problem& problem, std::vector<GridDim> dims) {
  std::vector<int> waiting = problem.axes;
  while (true) {
    std::vector<int> now;
    for (const int a : waiting)
      if (stays_whole(builder.state().layout, problem, a)) now.push_back(a);
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                                 [&](int a) { return std::find(now.begin(), now.end(), a) != now.end(); }),
                  waiting.end());
    builder.fft(now);
    if (waiting.empty()) return;
    const int needed = waiting.back();
    const Shape shape = builder.state().layout.shape();
    for (GridDim& dim : dims) {
      // An axis with one part was whole and may have been transformed: it may have fewer modes now.
      const std::int64_t extent = shape[static_cast<std::size_t>(dim.axis)];
      if (indices(dim.parts) != extent) dim.parts = runs(extent, dim.ranks);
    }
    const int axes = static_cast<int>(shape.size());
    const int cut = swap_axis(axes, dims, waiting, problem.keeps_slowest && needed == axes - 1);
    if (cut < 0) fail(Status::internal, "no axis is left to cut in place of axis ", needed);
    const auto dim = std::find_if(dims.begin(), dims.end(), [needed](const GridDim& d) { return d.axis == needed; });
    if (dim == dims.end()) fail(Status::internal, "axis ", needed, " is neither local nor cut");
    dim->axis = cut;
    dim->parts = runs(shape[static_cast<std::size_t>(cut)], dim->ranks);
    builder.reshape_freely(cut_layout(shape, dims, problem.ranks()));
  }
}

}  // namespace shardfft
