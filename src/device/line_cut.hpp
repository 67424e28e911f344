#pragma once
// How lines are cut into threads and stages, and bundles of them into shared memory: plain arithmetic for the kernels,
// for those who launch them and for the planner of recipes. Compiled for the host, by nvcc and at run time: no headers.

namespace shardfft::device::lines {

inline constexpr int max_stages = 4;
/// The largest number of ranks that own points of one line.
inline constexpr int max_owners = 8;

/// A line of `n` points, transformed in stages whose radices multiply to n. Stage s has n / radix[s] butterflies. Of
/// these, thread t of the `team` has t, t + team, ... below n / radix[s].
struct LineCut {
  int n = 0, team = 1, stages = 0;
  int radix[max_stages] = {};  ///< `stages` of them

  /// Product of earlier radices.
  constexpr int before(int stage) const {
    int product = 1;
    for (int s = 0; s < stage; ++s) product *= radix[s];
    return product;
  }
  constexpr int butterflies(int stage) const { return n / radix[stage]; }
  /// The most butterflies of a stage that one thread has.
  constexpr int count(int stage) const { return (butterflies(stage) + team - 1) / team; }
  /// Whether all threads have equally many.
  constexpr bool even(int stage) const { return butterflies(stage) % team == 0; }
  /// The most points that a thread holds.
  constexpr int points() const {
    int most = 0;
    for (int s = 0; s < stages; ++s) most = count(s) * radix[s] > most ? count(s) * radix[s] : most;
    return most;
  }

  /// If radix[0] is even, exchanges skip one row after every radix[0] rows: neighbouring threads' rows are then an odd
  /// number apart, which keeps the first exchange free of bank conflicts.
  constexpr int pad() const { return radix[0] % 2 == 0 ? 1 : 0; }
  constexpr int padded(int rows) const { return rows + rows / radix[0] * pad(); }

  /// Twiddle factors: (radix - 1) * before(stage) for every stage but the first.
  constexpr int table_offset(int stage) const {
    int size = 0;
    for (int s = 1; s < stage; ++s) size += (radix[s] - 1) * before(s);
    return size;
  }
  constexpr int table_size() const { return table_offset(stages); }
};
constexpr bool same(const LineCut& a, const LineCut& b) {
  bool same = a.n == b.n && a.team == b.team && a.stages == b.stages;
  for (int s = 0; s < max_stages; ++s) same = same && a.radix[s] == b.radix[s];
  return same;
}

/// Bundles of `width` neighbouring 16-byte columns in shared memory: the tile that is being fetched, the rows of the
/// exchanges and the twiddle factors. A tile is fetched in boxes of at most 256 rows that begin at multiples of 128
/// bytes; the last box may fetch rows of zeros behind the line. Without bulk copies there is no tile: threads read
/// their points themselves. `odd`: a bundle may begin in the middle of a 16-byte unit, but copies only at whole units,
/// so a tile's rows have one unit more. Even and odd points are then fetched as separate sets: from one point to the
/// next there may be an odd number of half units, and copies have no such stride.
struct TileCut {
  LineCut line;
  int width = 1;
  bool odd = false;
  bool bulk = true;

  constexpr int threads() const { return line.team * width; }
  constexpr int pitch() const { return width + (odd ? 1 : 0); }
  /// Rows whose bytes are a multiple of 128.
  constexpr int step() const { return pitch() % 8 == 0 ? 1 : pitch() % 4 == 0 ? 2 : pitch() % 2 == 0 ? 4 : 8; }
  static constexpr int most_rows = 256;
  /// Separate sets of points; then points, boxes and rows of one set.
  constexpr int sets() const { return odd ? 2 : 1; }
  constexpr int set_points() const { return (line.n + sets() - 1) / sets(); }
  constexpr int boxes() const { return (set_points() + most_rows - 1) / most_rows; }
  constexpr int box_rows() const { return ((set_points() + boxes() - 1) / boxes() + step() - 1) / step() * step(); }
  constexpr int set_rows() const { return boxes() * box_rows(); }
  /// Rows of each box that fetches `points` points of one owner: the most that divide them evenly; 0 if no number does.
  /// If rows are odd, one owner has all points.
  constexpr int box_rows_of(int first, int points) const {
    if (points == line.n) return box_rows();
    if (first % step() != 0) return 0;
    int rows = points < most_rows ? points : most_rows;
    while (rows > 0 && (points % rows != 0 || rows % step() != 0)) --rows;
    return rows;
  }
  constexpr int tile_bytes() const { return bulk ? sets() * set_rows() * pitch() * 16 : 0; }
  constexpr int row_bytes() const { return (line.padded(line.n) * width * 8 + 15) / 16 * 16; }
  constexpr int bytes(int factor_bytes) const { return tile_bytes() + row_bytes() + line.table_size() * factor_bytes; }
};

}  // namespace shardfft::device::lines
