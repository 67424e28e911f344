// What all implementations of line and plane passes ask for.
#include <algorithm>

#include "base/check.hpp"
#include "device/line_recipe.hpp"
#include "device/plane_pass.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device::lines {
namespace {

struct Memory {
  std::uintptr_t begin, bytes;
};
/// Of the planes of a pass, `plane` numbers each.
Memory planes_at(const void* base, const Pass& columns, std::int64_t plane, ElementType element) {
  const auto bytes = static_cast<std::uintptr_t>(plane) * element.bytes();
  return {reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(columns.outer_begin) * bytes,
          static_cast<std::uintptr_t>(columns.outer_end - columns.outer_begin) * bytes};
}
bool overlap(const Memory& a, const Memory& b) { return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes; }

void require_real_rows(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  const Part& inside = inner_side(pass).part[0];
  const std::int64_t n = columns.n, pitch = inside.line_stride;
  // Half spectra are fetched in whole units.
  const std::int64_t whole = unit(columns.precision), least = (spectrum_points(n, true) + whole - 1) / whole * whole;
  require(pitch >= least, "half spectra of ", least, " numbers do not fit rows of ", pitch);
  require(!overlap(planes_at(pass.rows, columns, n * n, {columns.precision, false}),
                   planes_at(inside.base, columns, n * pitch, {columns.precision, true})),
          "a plane pass cannot have real rows where their spectra are");
}

/// Everything starts at whole units of 16 bytes, but for odd rows.
void require_units(const Side& side, int n, Precision precision, bool odd_rows) {
  const int whole = unit(precision);
  require(side.block > 1 && owners(side, n) <= max_owners, "more than ", max_owners, " owners of a line");
  for (int q = 0; q < owners(side, n); ++q) {
    const Part& part = side.part[static_cast<std::size_t>(q)];
    require(reinterpret_cast<std::uintptr_t>(part.base) % unit_bytes == 0,
            "a line pass needs memory aligned to 16 bytes");
    require(part.line_stride > 0 && part.outer_stride > 0, "a line pass needs positive strides");
    require(part.line_stride % whole == 0 && (odd_rows || part.outer_stride % whole == 0),
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
  constexpr int most_boxes = 8;  // of an owner: small ones are slow
  for (int q = 0; q < owners(side, n); ++q) {
    const int first = owner_begin(side, n, q), points = owner_begin(side, n, q + 1) - first;
    const int rows = tile.box_rows_of(first, points);
    if (rows == 0 || points / rows > most_boxes) return false;
  }
  return true;
}

void require_pass(const Pass& pass) {
  require(pass.m_begin % unit(pass.precision) == 0 && pass.m_begin <= pass.m_end, "a line pass of columns ",
          pass.m_begin, " to ", pass.m_end);
  require(countable(pass.outer_end, pass.m_end), "line kernels cannot count ", pass.outer_end, " rows of ", pass.m_end,
          " columns");
  for (const Side* side : {&pass.in, &pass.out}) {
    const bool odd = has_odd_rows(*side, pass.precision);
    require_units(*side, pass.n, pass.precision, odd);
    require(!odd || (side->block >= pass.n && countable(1, side->part[0].outer_stride)),
            "odd rows are of one owner, and no longer than kernels can count");
  }
  require(!is_odd(pass) || takes_odd_rows(pass.n), "no line kernel for ", pass.n, " points takes odd rows");
  require(!has_odd_rows(pass.in, pass.precision) || pass.outer_end % 2 == 0, "odd rows are read in pairs");
}

void require_planes(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  const int g = granule(columns.precision);
  require(columns.m_begin % g == 0 && columns.m_end % g == 0, "a plane pass needs bundles of ", g, " columns");
  require(countable(columns.outer_end, columns.m_end), "plane kernels cannot count ", columns.outer_end, " planes of ",
          columns.m_end, " columns");
  const Part& inside = inner_side(pass).part[0];
  const std::int64_t n = columns.n, pitch = inside.line_stride;
  require(inner_side(pass).block >= n && inside.outer_stride == n * pitch && (pass.real || pitch == n),
          "a plane pass needs dense planes of one owner");
  require(columns.in.block >= n && (pass.real || columns.out.columns >= columns.m_end) && !columns.align_stores,
          "a plane pass reads from one owner and writes whole bundles");
  for (const Side* side : {&columns.in, &columns.out}) {
    require_units(*side, columns.n, columns.precision, false);
    require(std::min(columns.m_end, side->columns) <= side->part[0].line_stride, "a plane pass has more columns, ",
            columns.m_end, ", than there are in a row of ", side->part[0].line_stride);
    require(std::min(columns.m_end, side->columns) % unit(columns.precision) == 0,
            "columns of a plane pass end within a unit of 16 bytes");
  }
  require(reinterpret_cast<std::uintptr_t>(pass.rows) % unit_bytes == 0, "a plane pass needs rows aligned to 16 bytes");
  if (pass.real) require_real_rows(pass);
}

bool planes_stay_cached(std::int64_t n, Precision precision, bool real, const DeviceFacts& facts) {
  const std::int64_t bytes = n * spectrum_points(n, real) * (precision == Precision::f64 ? 16 : 8);
  return planes_stay_cached(gpu_defaults().cached_planes, bytes, facts);
}

bool planes_shareable(int n, const Side& side) {
  const int team = plane_team(n);
  for (int q = 1; q < owners(side, n); ++q)
    if (team == 0 || owner_begin(side, n, q) % team != 0) return false;
  return team != 0;
}

}  // namespace shardfft::device::lines
