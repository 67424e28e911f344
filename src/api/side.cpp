// The meaning of a side's indices, and the loops over its pieces.
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
          "this side of the plan is real and has no frequencies; the other side has them");
}

/// The place of `axis` in the plan's list.
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

/// The points of an axis of n, in distances between them: the place of the first, and the length of the domain.
struct Points {
  double first;
  double length;
};

Points points_of(AxisTransform transform, std::int64_t n) {
  const auto count = static_cast<double>(n);
  switch (transform) {
    case AxisTransform::fft:
    case AxisTransform::dct3:
      return {0, count};
    case AxisTransform::dct1:
      return {0, count - 1};
    case AxisTransform::dst1:
      return {1, count + 1};
    case AxisTransform::dst3:
      return {1, count};
    default:
      return {0.5, count};
  }
}

/// The weight of the mode -m/2 if m is even and below the number of points.
double lone_weight(const Side& side, bool halved) {
  switch (side.lone_mode) {
    case LoneMode::split:
      return 0.5;
    case LoneMode::zero:
      return 0;
    case LoneMode::keep:
      break;
  }
  return halved ? 2 : 1;
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

AxisValues Side::slopes(int axis, double length) const {
  const AxisValues all = wavenumbers(axis, length);
  const std::size_t at = place_of(*this, axis);
  if (transforms[at] != AxisTransform::fft)
    fail(Status::unsupported, "a derivative of odd order makes sines of cosines and cosines of sines, which ",
         to_text(transforms[at]), " along axis ", axis, " cannot transform back: even orders only");
  const std::int64_t extent = extent_of(layout, axis), m = modes[at];
  const bool halved = axis == halved_axis();
  if (m % 2 != 0 || (halved && m < points[at])) return all;
  return {extent, last_positive(*this, axis), 2 * std::numbers::pi / length, 0, m / 2};
}

AxisValues Side::coordinates(int axis, double spacing) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_positive(spacing, "the spacing of samples");
  return {extent, extent - 1, spacing};
}

AxisValues Side::positions(int axis, double length) const {
  const std::int64_t extent = extent_of(layout, axis);
  check_positive(length, "the length of the domain");
  bool whole = halved_axis() < 0;
  for (std::size_t i = 0; i < axes.size(); ++i) whole = whole && extent_of(layout, axes[i]) == points[i];
  require(whole, "this side of the plan is a spectrum and has no points; the other side has them");
  const auto found = std::find(axes.begin(), axes.end(), axis);
  const auto transform =
      found == axes.end() ? AxisTransform::fft : transforms[static_cast<std::size_t>(found - axes.begin())];
  const Points where = points_of(transform, extent);
  return {extent, extent - 1, length / where.length, where.first};
}

AxisWeights Side::weights(int axis) const {
  extent_of(layout, axis);
  check_spectrum(*this);
  const std::size_t at = place_of(*this, axis);
  const std::int64_t n = points[at], m = modes[at];
  switch (transforms[at]) {
    case AxisTransform::fft: {
      const bool halved = axis == halved_axis();
      return {1, halved ? 2.0 : 1.0, m % 2 == 0 ? m / 2 : -1, m == n ? 1 : lone_weight(*this, halved)};
    }
    case AxisTransform::dct1:
      return {1, 2, m == n ? n - 1 : -1, 1};
    case AxisTransform::dct2:
      return {1, 2, -1, 1};
    case AxisTransform::dst2:
      return {2, 2, m == n ? n - 1 : -1, 1};
    default:
      return {2, 2, -1, 1};
  }
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
  // Axes of one index go to the outside, because they cost nothing there.
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
