// What the indices of a side mean, and the loops over its pieces.
#include "shardfft/side.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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

void check_positive(double value, const char* what) {
  require(std::isfinite(value) && value > 0, what, " is ", value, "; a finite number above 0 is needed");
}

/// Real arrays are spectra of cosine and sine transforms only.
void check_spectrum(const Side& side) {
  const bool fourier =
      std::find(side.transforms.begin(), side.transforms.end(), AxisTransform::fft) != side.transforms.end();
  require(side.element.is_complex || !fourier,
          "this side of the plan is real and has no frequencies; the other side has");
}

/// Where `axis` stands in the plan's list.
std::size_t place_of(const Side& side, int axis) {
  const auto found = std::find(side.axes.begin(), side.axes.end(), axis);
  require(found != side.axes.end(), "axis ", axis, " is not transformed and has no frequencies");
  return static_cast<std::size_t>(found - side.axes.begin());
}

/// The last index of a Fourier axis whose mode is not negative.
std::int64_t last_positive(const Side& side, int axis) {
  const std::int64_t extent = extent_of(side.layout, axis);
  return axis == side.halved_axis() ? extent - 1 : (extent - 1) / 2;
}

/// Half waves in the domain, of the first function that a cosine or sine transform expands a field in.
double first_mode(AxisTransform transform) {
  switch (transform) {
    case AxisTransform::dct1:
    case AxisTransform::dct2:
      return 0;
    case AxisTransform::dst1:
    case AxisTransform::dst2:
      return 1;
    default:
      return 0.5;
  }
}

}  // namespace

int Side::halved_axis() const {
  for (std::size_t i = axes.size(); real_extent > 0 && i-- > 0;)
    if (transforms[i] == AxisTransform::fft) return axes[i];
  return -1;
}

AxisTransform Side::transform_of(int axis) const { return transforms[place_of(*this, axis)]; }

AxisValues Side::frequencies(int axis, double spacing) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_positive(spacing, "the spacing of samples");
  check_spectrum(*this);
  const std::size_t at = place_of(*this, axis);
  require(transforms[at] == AxisTransform::fft, "axis ", axis, " has no Fourier frequencies: its transform is ",
          to_text(transforms[at]));
  // NumPy's own order of operations, so that the numbers are the same to the last bit.
  return {extent, last_positive(*this, axis), 1.0 / (static_cast<double>(points[at]) * spacing)};
}

AxisValues Side::wavenumbers(int axis, double length) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_positive(length, "the length of the domain");
  check_spectrum(*this);
  const AxisTransform transform = transform_of(axis);
  if (transform == AxisTransform::fft) return {extent, last_positive(*this, axis), 2 * std::numbers::pi / length};
  return {extent, extent - 1, std::numbers::pi / length, first_mode(transform)};
}

AxisValues Side::coordinates(int axis, double spacing) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_positive(spacing, "the spacing of samples");
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
