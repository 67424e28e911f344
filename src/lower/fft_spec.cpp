#include "lower/fft_spec.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "local/loops.hpp"

namespace shardfft {

namespace {

/// Sets the types of cosine and sine transforms, and turns complex numbers into two real ones.
void take_parts(FftSpec& spec, const TransformStep& step, bool is_complex) {
  spec.direction = Direction::forward;  // the types say which
  for (const AxisStep& axis : step.axes) spec.types.push_back(axis.type);
  if (!is_complex) return;
  for (Loops* loops : {&spec.transform, &spec.batch})
    for (Loop& d : *loops) {
      d.from *= 2;
      d.to *= 2;
    }
  spec.batch.push_back({2, 1, 1});
}

}  // namespace

FftSpec fft_spec(const TransformStep& step, const State& before, const State& after, int rank, Precision precision) {
  FftSpec spec = fft_spec_between(step, only_piece(before.layout, rank), only_piece(after.layout, rank), precision,
                                  before.is_complex);
  spec.ranks = before.layout.ranks();
  return spec;
}

FftSpec fft_spec_between(const TransformStep& step, const Piece& in, const Piece& out, Precision precision,
                         bool is_complex) {
  // The batch counts are those of `in`, which may be a bundle of `out`. The halved axis has its real length in the real
  // array.
  const Piece& real = step.kind() == Kind::c2r ? out : in;
  FftSpec spec;
  spec.kind = step.kind();
  spec.precision = precision;
  spec.direction = step.axes.front().sign;
  for (const AxisStep& axis : step.axes) {
    const auto a = static_cast<std::size_t>(axis.axis);
    spec.transform.push_back({real.set.axis[a].count, in.stride[a], out.stride[a]});
  }
  for (int axis = 0; axis < in.set.axes; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (step.has(axis)) continue;
    if (in.set.axis[a].count > 1) spec.batch.push_back({in.set.axis[a].count, in.stride[a], out.stride[a]});
  }
  if (in.set.empty()) spec.batch = {{0, 1, 1}};
  if (spec.kind == Kind::r2r) take_parts(spec, step, is_complex);
  return spec;
}

std::string name_fft(const TransformStep& step, const State& before) {
  std::string text = to_text(step.kind());
  for (const AxisStep& axis : step.axes) {
    if (axis.type != AxisTransform::fft) text.append(" ").append(to_text(axis.type));
    text.append(" ").append(std::to_string(std::max(axis.in, axis.out)));
  }
  if (step.kind() == Kind::c2c) text += step.axes.front().sign == Direction::forward ? " forward" : " backward";
  return text + (step.has(before.layout.order().back()) ? "" : ", side by side");
}

std::string describe_fft(const FftSpec& spec) {
  std::string text = std::string(spec.kind == Kind::r2r ? "" : "fft ") + to_text(spec.kind);
  for (std::size_t i = 0; i < spec.transform.size(); ++i) {
    if (!spec.types.empty()) text.append(" ").append(to_text(spec.types[i]));
    text.append(" ").append(std::to_string(spec.transform[i].count));
  }
  return text;
}

}  // namespace shardfft
