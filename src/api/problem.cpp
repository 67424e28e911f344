#include "api/problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "exchange/exchange.hpp"
#include "geometry/shape.hpp"
#include "gpu/make.hpp"

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

/// Shape of the real (or, for c2c, the only) array.
Shape real_shape(const ProblemSpec& spec) {
  Shape shape = spec.input.shape();
  if (spec.transform.kind != Kind::c2r) return shape;
  const auto half = static_cast<std::size_t>(axes_of(spec).back());
  shape[half] =
      spec.options.real_extent > 0 ? spec.options.real_extent : std::max<std::int64_t>(1, 2 * (shape[half] - 1));
  return shape;
}

Shape spectrum_shape(const ProblemSpec& spec) {
  Shape shape = real_shape(spec);
  const auto half = static_cast<std::size_t>(axes_of(spec).back());
  if (spec.transform.kind != Kind::c2c) shape[half] = shape[half] / 2 + 1;
  return shape;
}

void validate_layout(const Layout& layout, const char* which, int ranks) {
  require(layout.axes() > 0, "the ", which,
          " layout is empty: make it with Layout::slab, pencil, brick, cyclic or boxes");
  require(layout.axes() <= max_user_axes, "the ", which, " layout has ", layout.axes(), " axes; 1 to ", max_user_axes,
          " are supported");
  require(layout.ranks() == ranks, "the ", which, " layout is made for ", layout.ranks(),
          " ranks, the communicator has ", ranks);
  try {
    layout.validate();
  } catch (const Error& e) {
    fail(e.code(), "the ", which, " layout does not tile the array: ", e.what());
  }
}

void validate_axes(const ProblemSpec& spec) {
  std::set<int> seen;
  for (const int a : spec.options.axes) {
    require(a >= 0 && a < spec.input.axes(), "axis ", a, " is not an axis of the ", shape_text(spec.input.shape()),
            " array");
    require(seen.insert(a).second, "axis ", a, " is named twice in the axes to transform");
  }
}

void validate_real(const ProblemSpec& spec) {
  if (spec.transform.kind != Kind::c2r) {
    require(spec.options.real_extent == 0, "real_extent is for c2r only");
    return;
  }
  const int half = axes_of(spec).back();
  const std::int64_t modes = spec.input.shape()[static_cast<std::size_t>(half)];
  const std::int64_t n = spec.options.real_extent;
  require(n >= 0, "option real_extent is ", n, "; it cannot be negative");
  require(n == 0 || n / 2 + 1 == modes, "a real array with extent ", n, " along axis ", half, " has ", n / 2 + 1,
          " modes there, but the input layout has ", modes);
}

using Names = std::vector<std::string>;

bool among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const Names& names) {
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  return list;
}

void validate_name(const Names& names, const std::string& name, const char* what) {
  require(name == "auto" || among(names, name), "unknown ", what, " '", name, "'; known: ", joined(names));
}

/// A name that belongs to the other processor deserves to be told so.
void validate_exchange(const Options& o) {
  const bool gpu = o.processor == "gpu";
  const Names here = gpu ? device_exchange_names() : exchange_names();
  const Names other = gpu ? exchange_names() : device_exchange_names();
  require(among(here, o.exchange) || !among(other, o.exchange), "exchange '", o.exchange, "' is for processor ",
          gpu ? "cpu" : "gpu", "; processor ", o.processor, " has: ", joined(here));
  validate_name(here, o.exchange, "exchange");
}

void validate_processor(const Options& o) {
  require(o.processor == "cpu" || o.processor == "gpu", "unknown processor '", o.processor, "'; known: cpu, gpu");
  const Names memories{"auto", "host", "registered", "managed", "device"};
  require(among(memories, o.memory), "unknown memory '", o.memory, "'; known: ", joined(memories));
  if (o.processor == "gpu") {
    gpu::check_device(o.device);
    require(o.algorithm.rfind("cannon", 0) != 0, "algorithm ", o.algorithm, " runs on CPUs only");
    require(o.local_fft == "auto" || o.local_fft == "cufft", "local FFT '", o.local_fft,
            "' is for processor cpu; on GPUs it is cufft");
    return;
  }
  require(o.memory == "auto", "option memory is '", o.memory, "', but the processor is not gpu");
  require(o.device == -1, "option device is ", o.device, ", but the processor is not gpu");
  require(o.stream == nullptr, "option stream is given, but the processor is not gpu");
  validate_name(local_fft_names(), o.local_fft, "local FFT");
}

void validate_names(const Options& o) {
  validate_processor(o);
  validate_name(algorithm_names(), o.algorithm, "algorithm");
  validate_exchange(o);
}

void validate_numbers(const Options& o) {
  require(o.batch >= 1, "option batch is ", o.batch, "; at least 1 field is needed");
  require(o.chunks >= 1, "option chunks is ", o.chunks, "; at least 1 is needed");
  require(o.threads >= 1, "option threads is ", o.threads, "; at least 1 is needed");
  require(o.fake_ranks_per_host >= 0, "option fake_ranks_per_host is ", o.fake_ranks_per_host,
          "; it cannot be negative");
  require(std::isfinite(o.call_timeout) && o.call_timeout >= 0, "option call_timeout is ", o.call_timeout,
          "; it is a number of seconds, 0 for no limit");
  for (const std::int64_t g : o.grid) require(g >= 1, "option grid has an entry of ", g, "; at least 1 is needed");
}

}  // namespace

void validate(const ProblemSpec& spec) {
  validate_layout(spec.input, "input", spec.ranks);
  validate_axes(spec);
  validate_real(spec);
  validate_names(spec.options);
  validate_numbers(spec.options);
  if (!spec.output) return;
  validate_layout(*spec.output, "output", spec.ranks);
  const Shape expected = spec.transform.kind == Kind::c2r ? real_shape(spec) : spectrum_shape(spec);
  if (spec.output->shape() == expected) return;
  const char* const kinds[] = {"c2c", "r2c", "c2r"};
  fail(Status::invalid_argument, "the output layout describes a ", shape_text(spec.output->shape()), " array, but ",
       kinds[static_cast<int>(spec.transform.kind)], " of a ", shape_text(spec.input.shape()), " array gives ",
       shape_text(expected), spec.transform.kind == Kind::c2c ? "" : " (the last entry of `axes` is the halved axis)");
}

void agree_same(const Communicator& comm, const ProblemSpec& spec) {
  std::size_t hash = 0;
  const auto mix = [&hash](std::size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29); };
  const auto mix_text = [&mix](const std::string& text) { mix(std::hash<std::string>()(text)); };
  const Options& o = spec.options;
  mix(static_cast<std::size_t>(spec.transform.kind));
  mix(static_cast<std::size_t>(spec.transform.precision));
  mix(static_cast<std::size_t>(spec.output_kind));
  mix_text(o.processor);
  mix_text(o.memory);
  mix_text(o.algorithm);
  mix_text(o.exchange);
  mix(static_cast<std::size_t>(o.norm));
  mix(o.in_place ? 1 : 0);
  mix(o.check_calls ? 1 : 0);
  mix(o.axes.size());
  for (const int a : o.axes) mix(static_cast<std::size_t>(a));
  for (const std::int64_t v : {o.batch, std::int64_t{o.chunks}, o.real_extent, std::int64_t{o.fake_ranks_per_host}})
    mix(static_cast<std::size_t>(v));
  for (const std::int64_t g : o.grid) mix(static_cast<std::size_t>(g));
  mix(std::hash<double>()(o.call_timeout));
  const auto agree_on = [&comm](std::uint64_t value, const char* what) {
    const auto number = static_cast<std::int64_t>(value >> 1);
    if (comm.min(number) != comm.max(number))
      fail(Status::mismatch, "the ranks were given different ", what, "; all must be given the same");
  };
  agree_on(spec.input.fingerprint(), "input layouts");
  agree_on(spec.output ? spec.output->fingerprint() : 0, "output layouts");
  agree_on(hash, "transforms or options");
}

std::string plan_name(const ProblemSpec& spec) {
  static const char* const kinds[] = {"c2c", "r2c", "c2r"};
  return std::string(kinds[static_cast<int>(spec.transform.kind)]) + " " + shape_text(spec.input.shape());
}

Problem make_problem(const ProblemSpec& spec) {
  const bool c2r = spec.transform.kind == Kind::c2r;
  Problem problem;
  problem.kind = c2r ? Kind::r2c : spec.transform.kind;
  problem.axes = axes_of(spec);
  problem.grid = spec.options.grid;
  const int half = problem.axes.back();
  const std::int64_t n = real_shape(spec)[static_cast<std::size_t>(half)];
  const auto resized = [half](const Layout& layout, std::int64_t extent) {
    return layout.with_axis_extent(half, extent);
  };
  Layout in = spec.input;
  Layout out = spec.output.value_or(Layout());
  if (out.axes() == 0 && (spec.output_kind == OutputLayout::natural || c2r))
    out = c2r ? resized(in, n) : (problem.kind == Kind::r2c ? resized(in, n / 2 + 1) : in);
  if (c2r) std::swap(in, out);
  problem.input = in.with_batch(spec.options.batch);
  if (out.axes() > 0) problem.output = out.with_batch(spec.options.batch);
  for (int& a : problem.axes) ++a;
  return problem;
}

std::array<double, 2> scales(const ProblemSpec& spec) {
  double points = 1;
  const Shape shape = real_shape(spec);
  for (const int a : axes_of(spec)) points *= static_cast<double>(shape[static_cast<std::size_t>(a)]);
  switch (spec.options.norm) {
    case Norm::backward:
      return {1, 1 / points};
    case Norm::forward:
      return {1 / points, 1};
    case Norm::ortho:
      return {1 / std::sqrt(points), 1 / std::sqrt(points)};
    case Norm::none:
      break;
  }
  return {1, 1};
}

Sides make_sides(const ProblemSpec& spec, const Program& program, int rank) {
  const bool reversed = spec.transform.kind == Kind::c2r;
  const State& first = reversed ? program.states.back() : program.states.front();
  const State& last = reversed ? program.states.front() : program.states.back();
  const std::vector<int> axes = axes_of(spec);
  const bool halves = spec.transform.kind != Kind::c2c;
  const std::int64_t real_extent = halves ? real_shape(spec)[static_cast<std::size_t>(axes.back())] : 0;
  const auto side = [&](const Layout& layout, const State& state) {
    const ElementType element{spec.transform.precision, state.is_complex};
    return Side{layout, element, spec.options.batch, rank, axes, state.is_complex ? real_extent : 0};
  };
  // Programs keep layouts of equal placement for each other; users see the ones they gave.
  const Layout output = spec.output ? *spec.output : last.layout.without_batch();
  return {side(spec.input, first), side(output, last)};
}

Direction program_direction(const Transform& transform, Direction direction) {
  return transform.kind == Kind::c2r ? opposite(direction) : direction;
}

}  // namespace shardfft
