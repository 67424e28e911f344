// What the indices of a side mean, and the loops over its pieces.
#include "shardfft/side.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/words.hpp"
#include "shardfft/for_each.hpp"

namespace shardfft {

namespace {

std::int64_t extent_of(const Layout& layout, int axis) {
  require(axis >= 0 && axis < layout.axes(), "axis ", axis, " is not an axis of an array with ", layout.axes(),
          " axes");
  return layout.shape()[static_cast<std::size_t>(axis)];
}

void check_spacing(double spacing) {
  require(std::isfinite(spacing) && spacing > 0, "the spacing of samples is ", spacing,
          "; a finite number above 0 is needed");
}

}  // namespace

int Side::halved_axis() const {
  for (std::size_t i = axes.size(); real_extent > 0 && i-- > 0;)
    if (transforms[i] == AxisTransform::fft) return axes[i];
  return -1;
}

AxisValues Side::frequencies(int axis, double spacing) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_spacing(spacing);
  require(element.is_complex, "this side of the plan is real and has no frequencies; the other side has");
  const auto found = std::find(axes.begin(), axes.end(), axis);
  require(found != axes.end(), "axis ", axis, " is not transformed and has no frequencies");
  const AxisTransform transform = transforms[static_cast<std::size_t>(found - axes.begin())];
  require(transform == AxisTransform::fft, "axis ", axis, " has no Fourier frequencies: its transform is ",
          to_text(transform));
  const bool halved = axis == halved_axis();
  const std::int64_t n = points[static_cast<std::size_t>(found - axes.begin())];
  // NumPy's own order of operations, so that the numbers are the same to the last bit.
  return {extent, halved ? extent - 1 : (extent - 1) / 2, 1.0 / (static_cast<double>(n) * spacing)};
}

AxisValues Side::coordinates(int axis, double spacing) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_spacing(spacing);
  return {extent, extent - 1, spacing};
}

namespace detail {

PieceLoops piece_loops(const Piece& piece) {
  require(piece.set.axes >= 1 && piece.set.axes <= max_user_axes, "the piece has ", piece.set.axes, " axes; 1 to ",
          max_user_axes, " can be visited");
  PieceLoops loops;
  loops.axes = piece.set.axes;
  const auto begin = loops.axis.begin();
  const auto end = begin + loops.axes;
  std::iota(begin, end, 0);
  // Axes of one index go to the outside, where they cost nothing.
  const auto rank = [&piece](int axis) {
    const auto a = static_cast<std::size_t>(axis);
    return piece.set.axis[a].count > 1 ? piece.stride[a] : INT64_MAX;
  };
  std::stable_sort(begin, end, [&rank](int a, int b) { return rank(a) > rank(b); });
  return loops;
}

void fail_short(std::int64_t has, std::int64_t expected) {
  fail(Status::invalid_argument, "the array has ", has, " elements; ", expected, " are expected");
}

}  // namespace detail

}  // namespace shardfft
