#include "algorithm/program.hpp"

#include <utility>

namespace shardfft {

namespace {

/// Steps without a sign are their own opposites.
template <class S>
S turned(S step) {
  if constexpr (requires { step.sign; }) step.sign = opposite(step.sign);
  return step;
}

AxisStep turned(AxisStep step) {
  step.sign = opposite(step.sign);
  std::swap(step.in, step.out);
  if (step.kind == Kind::r2c || step.kind == Kind::c2r) step.kind = step.kind == Kind::r2c ? Kind::c2r : Kind::r2c;
  step.type = inverse_type(step.type);
  return step;
}

TransformStep turned(const TransformStep& step) { return reversed(step); }

}  // namespace

AxisTransform inverse_type(AxisTransform type) {
  switch (type) {
    case AxisTransform::dct2:
      return AxisTransform::dct3;
    case AxisTransform::dct3:
      return AxisTransform::dct2;
    case AxisTransform::dst2:
      return AxisTransform::dst3;
    case AxisTransform::dst3:
      return AxisTransform::dst2;
    default:
      return type;
  }
}

TransformStep reversed(TransformStep step) {
  for (AxisStep& axis : step.axes) axis = turned(axis);
  return step;
}

bool TransformStep::has(int axis) const {
  return std::any_of(axes.begin(), axes.end(), [axis](const AxisStep& a) { return a.axis == axis; });
}

std::vector<int> TransformStep::numbers() const {
  std::vector<int> all;
  for (const AxisStep& a : axes) all.push_back(a.axis);
  return all;
}

TransformStep fourier_step(const std::vector<int>& axes, Kind kind, const Shape& shape) {
  TransformStep step;
  for (const int a : axes) {
    const std::int64_t n = shape[static_cast<std::size_t>(a)];
    step.axes.push_back({a, Kind::c2c, n, n});
  }
  if (kind == Kind::r2c) step.axes.back() = {axes.back(), kind, step.axes.back().in, step.axes.back().in / 2 + 1};
  return step;
}

AxisTransform Problem::type(int axis) const {
  const auto at = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  return types.empty() ? AxisTransform::fft : types.at(at);
}

std::int64_t Problem::modes_of(int axis, std::int64_t n) const {
  const auto at = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  return modes.empty() || modes.at(at) == 0 ? n : modes.at(at);
}

std::int64_t Problem::padded_to(int axis, std::int64_t n) const {
  const auto at = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
  return padded.empty() || padded.at(at) == 0 ? n : padded.at(at);
}

bool Problem::plain() const {
  return modes.empty() && padded.empty() &&
         std::all_of(types.begin(), types.end(), [](AxisTransform type) { return type == AxisTransform::fft; });
}

const char* step_name(const Step& step) {
  return std::visit([](const auto& s) { return s.name; }, step);
}

std::size_t element_bytes(const State& state, Precision precision) {
  return state.element_bytes > 0 ? state.element_bytes : ElementType{precision, state.is_complex}.bytes();
}

std::size_t state_bytes(const State& state, Precision precision, int rank) {
  return static_cast<std::size_t>(state.layout.count(rank)) * element_bytes(state, precision);
}

std::size_t max_state_bytes(const State& state, Precision precision) {
  return static_cast<std::size_t>(state.layout.max_count()) * element_bytes(state, precision);
}

State state_after(const TransformStep& step, State state) {
  for (const AxisStep& axis : step.axes) state.layout = state.layout.with_axis_extent(axis.axis, axis.out);
  if (!step.keeps_numbers()) state.is_complex = step.kind() == Kind::r2c;
  return state;
}

Program reversed(const Program& program) {
  Program result{program.algorithm, {program.states.rbegin(), program.states.rend()}, {}};
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step)
    result.steps.push_back(std::visit([](const auto& s) -> Step { return turned(s); }, *step));
  return result;
}

Program joined(const Program& first, Step between, const Program& second) {
  Program result = first;
  result.steps.push_back(std::move(between));
  result.states.insert(result.states.end(), second.states.begin(), second.states.end());
  result.steps.insert(result.steps.end(), second.steps.begin(), second.steps.end());
  return result;
}

std::string describe_modes(const ModesStep& step) {
  const std::string axis = " along axis " + std::to_string(step.modes.axis - 1);
  const std::string kept = std::to_string(step.modes.kept), all = std::to_string(step.modes.all);
  const std::string numbers = step.modes.points ? " points" : " modes";
  if (step.sign == Direction::forward) return "keep " + kept + " of " + all + numbers + axis;
  return "pad " + kept + numbers + " to " + all + axis;
}

}  // namespace shardfft
