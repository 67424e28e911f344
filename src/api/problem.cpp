#include "api/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "api/option_checks.hpp"
#include "base/words.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

std::vector<int> axes_of(const ProblemSpec& spec) {
  std::vector<int> axes = spec.options.axes;
  if (axes.empty()) {
    axes.resize(spec.input.shape().size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

/// A type for each entry of the axes.
std::vector<AxisTransform> types_of(const ProblemSpec& spec) {
  std::vector<AxisTransform> types = spec.options.transforms;
  if (types.empty()) types.resize(axes_of(spec).size());
  return types;
}

bool halves(const ProblemSpec& spec) { return spec.transform.kind == Kind::r2c || spec.transform.kind == Kind::c2r; }

/// The last axis with a Fourier transform, of half spectra; else -1.
int halved_axis(const ProblemSpec& spec) {
  const std::vector<int> axes = axes_of(spec);
  const std::vector<AxisTransform> types = types_of(spec);
  for (std::size_t i = axes.size(); halves(spec) && i-- > 0;)
    if (types[i] == AxisTransform::fft) return axes[i];
  return -1;
}

/// Modes that are kept along each entry of the axes, 0 for all.
Shape modes_of(const ProblemSpec& spec) {
  Shape modes = spec.options.modes;
  if (modes.empty()) modes.resize(axes_of(spec).size());
  return modes;
}

bool keeps_all_modes(const ProblemSpec& spec) {
  const Shape modes = modes_of(spec);
  return std::all_of(modes.begin(), modes.end(), [](std::int64_t m) { return m == 0; });
}

/// Points that are transformed along each entry of the axes, 0 for the array's own.
Shape padded_of(const ProblemSpec& spec) {
  Shape padded = spec.options.padded;
  if (padded.empty()) padded.resize(axes_of(spec).size());
  return padded;
}

/// Shape of the array of points, padded. If a c2r plan's input has fewer modes, only its output has this shape.
Shape real_shape(const ProblemSpec& spec) {
  Shape shape = spec.input.shape();
  if (spec.transform.kind != Kind::c2r) {
    const std::vector<int> axes = axes_of(spec);
    const Shape padded = padded_of(spec);
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (padded[i] > 0) shape[static_cast<std::size_t>(axes[i])] = padded[i];
    return shape;
  }
  if (!keeps_all_modes(spec) && spec.output) return spec.output->shape();
  const auto half = static_cast<std::size_t>(halved_axis(spec));
  shape[half] =
      spec.options.real_extent > 0 ? spec.options.real_extent : std::max<std::int64_t>(1, 2 * (shape[half] - 1));
  return shape;
}

Shape spectrum_shape(const ProblemSpec& spec) {
  Shape shape = real_shape(spec);
  const std::vector<int> axes = axes_of(spec);
  const Shape modes = modes_of(spec);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (modes[i] > 0) shape[static_cast<std::size_t>(axes[i])] = modes[i];
  if (halves(spec)) {
    const auto half = static_cast<std::size_t>(halved_axis(spec));
    shape[half] = shape[half] / 2 + 1;
  }
  return shape;
}

void validate_axes(const ProblemSpec& spec) {
  std::set<int> seen;
  for (const int a : spec.options.axes) {
    require(a >= 0 && a < spec.input.axes(), "axis ", a, " is not an axis of the ", shape_text(spec.input.shape()),
            " array");
    require(seen.insert(a).second, "axis ", a, " is named twice in the axes to transform");
  }
}

/// Whether kind and axes allow the transforms.
void validate_types(const ProblemSpec& spec) {
  const std::vector<int> axes = axes_of(spec);
  require(spec.options.transforms.empty() || spec.options.transforms.size() == axes.size(), "option transforms has ",
          spec.options.transforms.size(), " entries; one for each of the ", axes.size(), " axes is needed");
  const std::vector<AxisTransform> types = types_of(spec);
  const bool any_fourier = std::find(types.begin(), types.end(), AxisTransform::fft) != types.end();
  require(any_fourier || !halves(spec), to_text(spec.transform.kind),
          " halves the last axis with a Fourier transform, but option transforms names none: r2r keeps arrays real");
  require(
      !any_fourier || spec.transform.kind != Kind::r2r,
      "r2r makes cosine and sine transforms only: option transforms needs one of dct1 to dst4 for each axis; r2c and "
      "c2c make Fourier transforms too");
  for (std::size_t i = 0; i < axes.size(); ++i)
    require(types[i] != AxisTransform::dct1 || spec.input.shape()[static_cast<std::size_t>(axes[i])] > 1, "axis ",
            axes[i], " has 1 point; dct1 needs 2 at least");
}

void validate_real(const ProblemSpec& spec) {
  if (spec.transform.kind != Kind::c2r) {
    require(spec.options.real_extent == 0, "real_extent is for c2r only");
    return;
  }
  if (!keeps_all_modes(spec)) {
    const std::int64_t n = real_shape(spec)[static_cast<std::size_t>(halved_axis(spec))];
    require(spec.options.real_extent == 0 || spec.options.real_extent == n, "option real_extent is ",
            spec.options.real_extent, ", but the output layout has ", n, " points along the halved axis");
    return;
  }
  const int half = halved_axis(spec);
  const std::int64_t modes = spec.input.shape()[static_cast<std::size_t>(half)];
  const std::int64_t n = spec.options.real_extent;
  require(n >= 0, "option real_extent is ", n, "; it cannot be negative");
  require(n > 0 || modes > 1, "the half spectrum has 1 mode along axis ", half,
          ", and 2 (n - 1) is 0 points for n = 1: option real_extent must be 1");
  require(n == 0 || n / 2 + 1 == modes, "a real array with extent ", n, " along axis ", half, " has ", n / 2 + 1,
          " modes there, but the input layout has ", modes);
}

void validate_padded(const ProblemSpec& spec) {
  const Shape& padded = spec.options.padded;
  if (padded.empty()) return;
  const std::vector<int> axes = axes_of(spec);
  require(padded.size() == axes.size(), "option padded has ", padded.size(), " entries; one for each of the ",
          axes.size(), " axes is needed");
  const bool pads = std::any_of(padded.begin(), padded.end(), [](std::int64_t n) { return n != 0; });
  require(!pads || spec.transform.kind != Kind::c2r,
          "option padded adds points, but the input of a c2r plan is a spectrum");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t n = spec.input.shape()[static_cast<std::size_t>(axes[i])];
    require(padded[i] == 0 || padded[i] >= n, "option padded is ", padded[i], " along axis ", axes[i], ", which has ",
            n, " points already");
  }
}

void validate_modes(const ProblemSpec& spec) {
  const std::vector<int> axes = axes_of(spec);
  const Shape& modes = spec.options.modes;
  require(modes.empty() || modes.size() == axes.size(), "option modes has ", modes.size(),
          " entries; one for each of the ", axes.size(), " axes is needed");
  if (keeps_all_modes(spec)) return;
  require(spec.transform.kind != Kind::c2r || spec.output.has_value(),
          "c2r with option modes needs an output layout: its extents are the numbers of points");
  const Shape points = real_shape(spec);
  require(points.size() == spec.input.shape().size(), "the output layout has ", points.size(), " axes, the input ",
          spec.input.shape().size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t n = points[static_cast<std::size_t>(axes[i])];
    require(modes[i] <= n, "option modes keeps ", modes[i], " modes along axis ", axes[i], ", which has only ", n,
            " points; to pad, plan for the larger array and call backward");
  }
  if (spec.transform.kind != Kind::c2r) return;
  require(spec.input.shape() == spectrum_shape(spec), "the input layout describes ", shape_text(spec.input.shape()),
          " modes, but option modes and the output layout say ", shape_text(spectrum_shape(spec)));
}

/// Checks that the option table cannot make: enums that are no options.
void validate_transform(const ProblemSpec& spec) {
  require_known("the transform's kind", spec.transform.kind, Kind::r2r, "c2c, r2c, c2r, r2r");
  require_known("the transform's precision", spec.transform.precision, Precision::f64, "f32, f64");
  require_known("the output layout", spec.output_kind, OutputLayout::natural, "default_output, natural_output");
}

}  // namespace

void validate_layout(const Layout& layout, const char* name, int ranks) {
  require(layout.axes() > 0, "the ", name, " is empty: make it with Layout::slab, pencil, brick, cyclic or boxes");
  require(layout.axes() <= max_user_axes, "the ", name, " has ", layout.axes(), " axes; 1 to ", max_user_axes,
          " are supported");
  require(layout.ranks() == ranks, "the ", name, " is made for ", layout.ranks(), " ranks, but ", ranks, " take part");
  try {
    layout.validate();
  } catch (const Error& e) {
    fail(e.code(), "the ", name, " does not tile the array: ", e.what());
  }
}

void validate(const ProblemSpec& spec) {
  validate_transform(spec);
  validate_gaps(spec);
  validate_layout(spec.input, "input layout", spec.ranks);
  validate_options(spec.options, spec.place);
  validate_axes(spec);
  validate_types(spec);
  if (spec.output) validate_layout(*spec.output, "output layout", spec.ranks);
  validate_padded(spec);
  validate_modes(spec);
  validate_real(spec);
  if (!spec.output) return;
  const Shape expected = spec.transform.kind == Kind::c2r ? real_shape(spec) : spectrum_shape(spec);
  if (spec.output->shape() == expected) return;
  fail(Status::invalid_argument, "the output layout describes a ", shape_text(spec.output->shape()), " array, but ",
       to_text(spec.transform.kind), " of a ", shape_text(spec.input.shape()), " array gives ", shape_text(expected),
       halves(spec)
           ? " (axis " + std::to_string(halved_axis(spec)) + " is the halved axis, the last with a Fourier transform)"
           : "");
}

namespace {

/// The axes as algorithms want them: those with Fourier transforms last, so that a halved one is the last of all.
void set_axes(Problem& problem, const ProblemSpec& spec) {
  const std::vector<int> axes = axes_of(spec);
  const std::vector<AxisTransform> types = types_of(spec);
  for (const bool fourier : {false, true})
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if ((types[i] == AxisTransform::fft) != fourier) continue;
      problem.axes.push_back(axes[i] + 1);
      problem.types.push_back(types[i]);
      if (!keeps_all_modes(spec)) problem.modes.push_back(modes_of(spec)[i]);
      if (!spec.options.padded.empty()) problem.padded.push_back(padded_of(spec)[i]);
    }
  problem.lone_mode = spec.options.lone_mode;
  if (problem.plain()) problem.types.clear();
}

/// `layout` with the extents of `shape`.
Layout resized(Layout layout, const Shape& shape) {
  for (int a = 0; a < layout.axes(); ++a) layout = layout.with_axis_extent(a, shape[static_cast<std::size_t>(a)]);
  return layout;
}

}  // namespace

Problem make_problem(const ProblemSpec& spec) {
  const bool c2r = spec.transform.kind == Kind::c2r;
  Problem problem;
  problem.kind = c2r ? Kind::r2c : spec.transform.kind;
  set_axes(problem, spec);
  problem.grid = spec.options.grid;
  problem.keeps_slowest = spec.place != Place::cpu;
  Layout in = spec.input;
  Layout out = spec.output.value_or(Layout());
  if (out.axes() == 0 && (spec.output_kind == OutputLayout::natural || c2r))
    out = resized(in, c2r ? real_shape(spec) : spectrum_shape(spec));
  if (c2r) std::swap(in, out);
  problem.input = in.with_batch(spec.options.batch);
  if (out.axes() > 0) problem.output = out.with_batch(spec.options.batch);
  return problem;
}

namespace {

/// The factor of a transform followed by its inverse along an axis of n points: for a cosine or sine transform the
/// number of points of the Fourier transform that it stands for.
double factor_of(AxisTransform type, std::int64_t n) {
  switch (type) {
    case AxisTransform::fft:
      return static_cast<double>(n);
    case AxisTransform::dct1:
      return 2 * static_cast<double>(n - 1);
    case AxisTransform::dst1:
      return 2 * static_cast<double>(n + 1);
    default:
      return 2 * static_cast<double>(n);
  }
}

/// The product of factor_of() over all transformed axes.
double points_of(const ProblemSpec& spec) {
  double points = 1;
  const Shape shape = real_shape(spec);
  const std::vector<int> axes = axes_of(spec);
  const std::vector<AxisTransform> types = types_of(spec);
  for (std::size_t i = 0; i < axes.size(); ++i) points *= factor_of(types[i], shape[static_cast<std::size_t>(axes[i])]);
  return points;
}

/// Factor of a transform with this sign.
double scale_of(const ProblemSpec& spec, Direction sign) {
  switch (spec.options.norm) {
    case Norm::backward:
      return sign == Direction::backward ? 1 / points_of(spec) : 1;
    case Norm::forward:
      return sign == Direction::forward ? 1 / points_of(spec) : 1;
    case Norm::ortho:
      return 1 / std::sqrt(points_of(spec));
    case Norm::none:
      break;
  }
  return 1;
}

}  // namespace

std::vector<NamedProgram> make_programs(const ProblemSpec& spec, const Program& lowered) {
  NamedProgram forward{"forward", lowered, scale_of(spec, Direction::forward)};
  open_gaps(spec, forward.program);
  NamedProgram backward{"backward", reversed(forward.program), scale_of(spec, Direction::backward)};
  if (spec.transform.kind == Kind::c2r) {
    std::swap(forward.program, backward.program);
    std::swap(forward.scale, backward.scale);
  }
  return {forward, backward};
}

NamedProgram make_apply(const ProblemSpec& spec, const std::vector<NamedProgram>& programs, const OperatorStep& step) {
  return {"apply", joined(programs[forward_program].program, step, programs[backward_program].program),
          1 / points_of(spec)};
}

Sides make_sides(const ProblemSpec& spec, const Program& forward, int rank) {
  const State &first = forward.states.front(), &last = forward.states.back();
  const std::vector<int> axes = axes_of(spec);
  std::vector<std::int64_t> points, modes = modes_of(spec);
  for (const int a : axes) points.push_back(real_shape(spec)[static_cast<std::size_t>(a)]);
  for (std::size_t i = 0; i < modes.size(); ++i) modes[i] = modes[i] > 0 ? modes[i] : points[i];
  const int half = halved_axis(spec);
  const std::int64_t real_extent = half >= 0 ? real_shape(spec)[static_cast<std::size_t>(half)] : 0;
  const auto side = [&](const Layout& layout, const State& state) {
    const ElementType element{spec.transform.precision, state.is_complex};
    return Side{layout,
                element,
                spec.options.batch,
                rank,
                axes,
                types_of(spec),
                points,
                state.is_complex ? real_extent : 0,
                modes,
                spec.options.lone_mode};
  };
  // Programs keep layouts of equal placement for each other; users see the ones they gave.
  Layout input = spec.input, output = spec.output ? *spec.output : last.layout.without_batch();
  if (spec.with_gaps) (spec.transform.kind == Kind::c2r ? output : input) = *spec.with_gaps;
  return {side(input, first), side(output, last)};
}
}  // namespace shardfft
