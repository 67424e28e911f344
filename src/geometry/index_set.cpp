// Progressions and index sets. All geometry is made of their intersections.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/check.hpp"
#include "geometry/shape.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

bool Progression::contains(std::int64_t index) const {
  return count > 0 && index >= first && index <= last() && (count == 1 || (index - first) % stride == 0);
}

namespace {

/// Products of two strides may not fit 64 bits.
__extension__ using Wide = __int128;

template <class T>
T positive_mod(T a, T m) {
  const T r = a % m;
  return r < 0 ? r + m : r;
}

/// Inverse of a modulo m (coprime), by the extended Euclidean algorithm.
std::int64_t inverse_mod(std::int64_t a, std::int64_t m) {
  std::int64_t r0 = m;
  std::int64_t r1 = positive_mod(a, m);
  std::int64_t t0 = 0;
  std::int64_t t1 = 1;
  while (r1 != 0) {
    const std::int64_t q = r0 / r1;
    std::tie(r0, r1) = std::make_pair(r1, r0 - q * r1);
    std::tie(t0, t1) = std::make_pair(t1, t0 - q * t1);
  }
  return positive_mod(t0, m);
}

/// The smallest index >= low that is in both progressions, continued without end, or -1.
Wide first_common(const Progression& a, const Progression& b, std::int64_t low, std::int64_t gcd) {
  const std::int64_t distance = b.first - a.first;
  if (distance % gcd != 0) return -1;
  const Wide modulus = b.stride / gcd;
  const Wide inverse = modulus == 1 ? 0 : inverse_mod(a.stride / gcd, b.stride / gcd);
  const Wide steps = positive_mod((distance / gcd) % modulus * inverse, modulus);
  return low + positive_mod(a.first + steps * a.stride - low, a.stride * modulus);
}

}  // namespace

Progression intersect(const Progression& a, const Progression& b) {
  if (a.empty() || b.empty()) return {};
  const std::int64_t low = std::max(a.first, b.first);
  const std::int64_t high = std::min(a.last(), b.last());
  if (low > high) return {};
  if (a.stride == 1 && b.stride == 1) return {low, high - low + 1, 1};
  check_stride(a);
  check_stride(b);
  const std::int64_t gcd = std::gcd(a.stride, b.stride);
  const Wide first = first_common(a, b, low, gcd);
  if (first < 0 || first > high) return {};
  const Wide stride = Wide{a.stride / gcd} * b.stride;
  const auto count = static_cast<std::int64_t>((high - first) / stride + 1);
  return {static_cast<std::int64_t>(first), count, count == 1 ? 1 : static_cast<std::int64_t>(stride)};
}

std::int64_t IndexSet::count() const {
  std::int64_t product = 1;
  for (int a = 0; a < axes; ++a) product *= axis[static_cast<std::size_t>(a)].count;
  return product;
}

bool IndexSet::contains(const std::array<std::int64_t, max_axes>& index) const {
  for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a)
    if (!axis[a].contains(index[a])) return false;
  return true;
}

bool IndexSet::operator==(const IndexSet& other) const {
  return axes == other.axes && std::equal(axis.begin(), axis.begin() + axes, other.axis.begin());
}

IndexSet intersect(const IndexSet& a, const IndexSet& b) {
  require(a.axes == b.axes, "sets of ", a.axes, " and ", b.axes, " axes have no common indices");
  IndexSet common;
  common.axes = a.axes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.axes); ++i) common.axis[i] = intersect(a.axis[i], b.axis[i]);
  return common;
}

IndexSet box(const Shape& low, const Shape& high) {
  require(low.size() == high.size() && !low.empty() && low.size() <= max_axes, "a box needs 1 to ", max_axes,
          " axes, the same number in both corners; got ", low.size(), " and ", high.size());
  IndexSet set;
  set.axes = static_cast<int>(low.size());
  for (std::size_t a = 0; a < low.size(); ++a) {
    require(low[a] >= 0 && high[a] >= low[a], "axis ", a, " of the box: ", low[a], " to ", high[a],
            " is not a range of indices");
    set.axis[a] = {low[a], high[a] - low[a], 1};
  }
  return set;
}

bool Piece::operator==(const Piece& other) const {
  if (set.empty() && other.set.empty()) return true;
  if (set.axes != other.set.axes || offset != other.offset) return false;
  for (std::size_t a = 0; a < static_cast<std::size_t>(set.axes); ++a) {
    const Progression& mine = set.axis[a];
    const Progression& theirs = other.set.axis[a];
    if (mine.first != theirs.first || mine.count != theirs.count) return false;
    // A single index has no strides to compare.
    if (mine.count > 1 && (mine.stride != theirs.stride || stride[a] != other.stride[a])) return false;
  }
  return true;
}

namespace {

void check_part(std::int64_t extent, std::int64_t parts, std::int64_t index) {
  require(extent >= 0 && parts >= 1, "an axis of ", extent, " cannot be cut in ", parts, " parts");
  require(index >= 0 && index < parts, "part ", index, " is not one of ", parts);
}

}  // namespace

Progression block_part(std::int64_t extent, std::int64_t parts, std::int64_t index) {
  check_part(extent, parts, index);
  const std::int64_t base = extent / parts;
  const std::int64_t longer = extent % parts;
  return {index * base + std::min(index, longer), base + (index < longer ? 1 : 0), 1};
}

Progression cyclic_part(std::int64_t extent, std::int64_t parts, std::int64_t index) {
  check_part(extent, parts, index);
  if (index >= extent) return {0, 0, 1};
  return {index, (extent - index + parts - 1) / parts, parts};
}

}  // namespace shardfft
