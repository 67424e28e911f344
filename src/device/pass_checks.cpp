// The requirements that all implementations of line and plane passes share.
#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/round_up.hpp"
#include "device/plane_pass.hpp"
#include "device/plane_recipe.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device::lines {
namespace {

struct Memory {
  std::uintptr_t begin, end;
  bool overlaps(const Memory& other) const { return begin < other.end && other.begin < end; }
};
/// The memory range of a pass's planes, each of `n` rows of `row` numbers.
Memory memory_of(const Part& part, const Pass& columns, std::int64_t row, ElementType element) {
  const auto bytes = [&](std::int64_t numbers) { return static_cast<std::uintptr_t>(numbers) * element.bytes(); };
  const std::uintptr_t first =
      reinterpret_cast<std::uintptr_t>(part.base) + bytes(columns.outer_begin * part.outer_stride);
  const std::int64_t planes = columns.outer_end - columns.outer_begin;
  if (planes <= 0) return {first, first};
  return {first, first + bytes((planes - 1) * part.outer_stride + (columns.n - 1) * part.line_stride + row)};
}

void require_rows(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  const Part &inside = inner_side(pass).part[0], &rows = pass.rows;
  const std::int64_t m = pass.m, pitch = inside.line_stride, whole = unit(columns.precision);
  const ElementType outer{columns.precision, !pass.real};
  require(m > 1, "a plane pass over rows of ", m, " points");
  // Spectra are fetched in whole units.
  const std::int64_t least = round_up(spectrum_points(m, pass.real), whole);
  require(pitch >= least && (columns.n == 1 || rows.line_stride >= m), "rows of ", least,
          " numbers do not fit those of ", pitch, " and ", rows.line_stride);
  for (const std::int64_t numbers : {rows.line_stride, rows.outer_stride})
    require(rows_may_begin(m, numbers, outer), "rows of a plane pass begin within a unit of 16 bytes");
  require(reinterpret_cast<std::uintptr_t>(rows.base) % unit_bytes == 0, "a plane pass needs rows aligned to 16 bytes");
  const bool same =
      !pass.real && rows.base == inside.base && rows.line_stride == pitch && rows.outer_stride == inside.outer_stride;
  const ElementType complex{columns.precision, true};
  require(same || !memory_of(rows, columns, m, outer)
                       .overlaps(memory_of(inside, columns, spectrum_points(m, pass.real), complex)),
          "the rows of a plane pass overlap the spectra of other rows");
}

/// Every part begins at a multiple of 16 bytes; strides are multiples too, except for odd rows.
void require_units(const Side& side, int n, Precision precision, bool odd_rows) {
  const int whole = unit(precision);
  require(side.block > 1 && owners(side, n) <= max_owners, "more than ", max_owners, " owners of a line");
  for (int q = 0; q < owners(side, n); ++q) {
    const Part& part = side.part[static_cast<std::size_t>(q)];
    require(reinterpret_cast<std::uintptr_t>(part.base) % unit_bytes == 0,
            "a line pass needs memory aligned to 16 bytes");
    require(part.line_stride > 0 && part.outer_stride > 0, "a line pass needs positive strides");
    require(odd_rows || (part.line_stride % whole == 0 && part.outer_stride % whole == 0),
            "a line pass needs strides of whole 16-byte units");
  }
}

}  // namespace

bool worthwhile(std::int64_t n, std::int64_t numbers) {
  const bool compiled = own_recipe(n) != nullptr && current_facts().bulk_copies;
  return n <= longest_line && (numbers >= gpu_defaults().elements_worth_passes || compiled) &&
         supported(static_cast<int>(n));
}

bool reads_from(const TileCut& tile, const Side& side) {
  const int n = tile.line.n;
  if (!tile.bulk || side.block >= n) return true;
  constexpr int most_boxes = 8;  // of one owner: small boxes are slow
  for (int q = 0; q < owners(side, n); ++q) {
    const int first = owner_begin(side, n, q), points = owner_begin(side, n, q + 1) - first;
    const int rows = tile.box_rows_of(first, points);
    if (rows == 0 || points / rows > most_boxes) return false;
  }
  return true;
}

void require_kernel(int n, Precision precision, bool odd_rows) {
  require(supported(n), "no line kernel for ", n, " points");
  require(!odd_rows || (precision == Precision::f32 && takes_odd_rows(n)), "no line kernel for ", n,
          " points takes odd rows");
}

void require_pass(const Pass& pass) {
  require(pass.m_begin % unit(pass.precision) == 0 && pass.m_begin <= pass.m_end, "a line pass of columns ",
          pass.m_begin, " to ", pass.m_end);
  require(countable(pass.outer_end, pass.m_end), "line kernels cannot count ", pass.outer_end, " rows of ", pass.m_end,
          " columns");
  require(pass.factors.are == FactorsAre::none ||
              (pass.direction == Direction::forward && pass.checks.results == nullptr && pass.out.block >= pass.n),
          "a line pass with factors is forward, checks nothing, and writes to one owner");
  for (const Side* side : {&pass.in, &pass.out}) {
    const bool odd = has_odd_rows(*side, pass.precision);
    require_units(*side, pass.n, pass.precision, odd);
    require(!odd || side->block >= pass.n, "odd rows are of one owner");
  }
  if (!is_odd(pass)) return;
  require(takes_odd_rows(pass.n), "no line kernel for ", pass.n, " points takes odd rows");
  require(pass.in.block >= pass.n, "passes over odd rows read from one owner");
}

void require_planes(const PlanePass& pass) {
  const int n = pass.columns.n;
  require(pass.only_rows() ? rows_supported(n, pass.m) : planes_supported(n, pass.m, pass.columns.precision, pass.real),
          "no plane kernel for ", n, " rows of ", pass.m, " points");
  require(pass.columns.checks.results == nullptr || pass.columns.m_end <= spectrum_points(pass.m, pass.real),
          "plane passes that check themselves have no columns behind the last point of a row");
  const Pass& columns = pass.columns;
  require(columns.m_begin % unit(columns.precision) == 0 && columns.m_begin <= columns.m_end,
          "a plane pass of columns ", columns.m_begin, " to ", columns.m_end);
  require(countable(columns.outer_end, columns.m_end), "plane kernels cannot count ", columns.outer_end, " planes of ",
          columns.m_end, " columns");
  require(inner_side(pass).block >= columns.n && columns.in.block >= columns.n && !columns.align_stores,
          "a plane pass reads from one owner, which has the rows, and writes whole bundles");
  for (const Side* side : {&columns.in, &columns.out}) {
    require_units(*side, columns.n, columns.precision, false);
    const std::int64_t end = std::min(columns.m_end, side->columns);
    require(end <= side->part[0].line_stride, "a plane pass has more columns, ", columns.m_end,
            ", than there are in a row of ", side->part[0].line_stride);
  }
  require_rows(pass);
}

Spent spent(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  if (columns.m_begin > 0 || columns.m_end < spectrum_points(pass.m, pass.real)) return {};
  const Part& inside = inner_side(pass).part[0];
  if (columns.direction == Direction::backward) return {inside.base != pass.rows.base};
  Spent spent;
  for (int q = 0; q < owners(columns.out, columns.n); ++q) {
    const int first = owner_begin(columns.out, columns.n, q);
    const auto bytes = first * inside.line_stride * static_cast<std::int64_t>(ElementType{columns.precision}.bytes());
    if (columns.out.part[static_cast<std::size_t>(q)].base == static_cast<std::byte*>(inside.base) + bytes) continue;
    if (spent.end != first) spent.begin = first;
    spent.end = owner_begin(columns.out, columns.n, q + 1);
  }
  return spent;
}

bool rows_may_begin(std::int64_t m, std::int64_t stride, ElementType element) {
  const auto bytes = static_cast<std::int64_t>(element.bytes());
  return stride * bytes % std::gcd<std::int64_t>(m * bytes, unit_bytes) == 0;
}

std::int64_t plane_bytes(std::int64_t n, std::int64_t m, Precision precision, bool real) {
  return n * spectrum_points(m, real) * static_cast<std::int64_t>(ElementType{precision, true}.bytes());
}

std::int64_t most_planes_ahead(std::int64_t bytes, const DeviceFacts& facts) {
  const std::int64_t held = static_cast<std::int64_t>(facts.l2_bytes) / std::max<std::int64_t>(bytes, 1);
  // The cache holds the planes ahead, as many planes again whose second axis is under way or was just finished, and the
  // data in flight.
  return (held - 1) / 2;
}

bool may_be_plane(std::int64_t n, std::int64_t m) { return n > 1 && n <= longest_line && m > 1 && m <= longest_line; }

bool fits_planes(std::int64_t n, std::int64_t m, Precision precision, bool real, const DeviceFacts& facts) {
  return may_be_plane(n, m) && most_planes_ahead(plane_bytes(n, m, precision, real), facts) > 0;
}

bool planes_worthwhile(std::int64_t n, std::int64_t m, Precision precision, bool real, std::int64_t numbers) {
  return (numbers >= gpu_defaults().elements_worth_passes || own_plane_cut(n, m) != nullptr) &&
         planes_supported(n, m, precision, real);
}

std::int64_t planes_ahead(const PlanePass& pass, std::int64_t tiles, std::int64_t at_once, const DeviceFacts& facts) {
  // Whole rows, even if the pass has only some of their columns: the others' points are written to the cache too.
  const std::int64_t bytes = plane_bytes(pass.columns.n, pass.m, pass.columns.precision, pass.real);
  const std::int64_t wanted = std::max<std::int64_t>(2, (at_once + tiles - 1) / tiles + 1);
  return std::clamp<std::int64_t>(most_planes_ahead(bytes, facts), 1, wanted);
}

}  // namespace shardfft::device::lines
