#pragma once
// How planes are cut into tiles, and tiles into shared memory: plain arithmetic, as line_cut.hpp.
#include "device/line_checks.hpp"
#include "device/line_cut.hpp"

namespace shardfft::device::lines {

/// Tiles of `lines` lines of rows, and tiles of `width` columns of 16 bytes. A line has one complex row in double
/// precision or two in single precision, or twice as many real ones. A thread block has `groups` groups of threads,
/// each with a tile of its own.
struct PlaneCut {
  LineCut rows, columns;
  int lines = 1, width = 1, groups = 1;
  bool holds_weights = false;  ///< shared memory has room for the weights of checks

  constexpr int row_workers() const { return rows.team * lines; }
  constexpr int column_workers() const { return columns.team * width; }
  /// Threads of a group that transform: whole warps for both kinds of tiles; some may be idle in one kind.
  constexpr int workers() const { return row_workers() > column_workers() ? row_workers() : column_workers(); }
  /// All threads: each group has one more warp, its feeder.
  constexpr int threads() const { return groups * (workers() + 32); }
  /// The most points that a thread holds.
  constexpr int points() const { return rows.points() > columns.points() ? rows.points() : columns.points(); }
  /// Whether the same code transforms both kinds of tiles.
  constexpr bool alike() const { return same(rows, columns) && lines == width; }

  /// Rows of the exchanges, from a line to the next one. The shift between lines avoids bank conflicts, whichever way
  /// threads are dealt to lines.
  static constexpr int line_rows(const LineCut& line, int lines) {
    const int padded = line.padded(line.n), shift = lines < 16 ? 16 / lines : 1;
    return padded + (shift + 16 - padded % 16) % 16;
  }
  constexpr int row_line_rows() const { return line_rows(rows, lines); }
  constexpr int column_line_rows() const { return line_rows(columns, width); }

  static constexpr int larger(int a, int b) { return a > b ? a : b; }
  /// A half spectrum is a number longer than half of a row. Fetched data begin and end with whole units of 16 bytes, in
  /// which rows of odd lengths begin anywhere.
  constexpr int tile_bytes() const {
    const int most = larger(lines * (16 * rows.n + (rows.n % 2 == 0 ? 64 : 80)), TileCut{columns, width}.tile_bytes());
    return (most + 127) / 128 * 128;  // boxes of bulk tensor copies begin at multiples of 128
  }
  constexpr int exchange_bytes() const {
    return (larger(lines * row_line_rows(), width * column_line_rows()) * 8 + 127) / 128 * 128;
  }
  /// Twiddle factors, the rows' first.
  constexpr int table_size() const { return rows.table_size() + (alike() ? 0 : columns.table_size()); }
  constexpr int bytes(int factor_bytes) const {
    return groups * (tile_bytes() + exchange_bytes()) + table_size() * factor_bytes;
  }
  /// With the weights of checks behind the twiddles: the rows' first, or one table for both.
  constexpr int checked_bytes(int factor_bytes) const {
    if (!holds_weights) return bytes(factor_bytes);
    const int begin = (bytes(factor_bytes) + 15) / 16 * 16;
    return begin + row_weight_bytes(factor_bytes) + (rows.n == columns.n ? 0 : weight_bytes(columns.n, factor_bytes));
  }
  constexpr int row_weight_bytes(int factor_bytes) const { return (weight_bytes(rows.n, factor_bytes) + 15) / 16 * 16; }
};
constexpr bool same(const PlaneCut& a, const PlaneCut& b) {
  return same(a.rows, b.rows) && same(a.columns, b.columns) && a.lines == b.lines && a.width == b.width &&
         a.groups == b.groups;
}

}  // namespace shardfft::device::lines
