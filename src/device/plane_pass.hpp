#pragma once
// Lines along both axes of planes in one pass over memory: the results of the first axis are still in the L2 cache when
// they are read for the second one.
#include "device/facts.hpp"
#include "device/line_pass.hpp"
#include "device/plane_cut.hpp"

namespace shardfft::device::lines {

/// Planes of n rows of m points. Strides are any multiples of 16 bytes, so that a plane's rows need not be neighbours.
/// Rows of `rows` may begin within a unit of 16 bytes if rows_may_begin() allows their strides. Forward: rows from
/// `rows` to columns.in, then columns from there to columns.out. Backward: columns from columns.in to columns.out, then
/// rows from there to `rows`. Places between the axes that hold no results may have any content after the pass. Only
/// the columns m_begin <= m < m_end are transformed, but all rows. If columns end within a unit, the rest of it is
/// written too, in each row.
struct PlanePass {
  /// Lines along the axis across the rows. `in` has one owner, and so has the side that the rows share (inner_side). A
  /// pass may have no columns (only_rows): its planes may then have any size (rows_supported).
  Pass columns;
  bool only_rows() const { return columns.m_begin == columns.m_end; }
  int m = 0;  ///< points of a row
  Part rows;  ///< line_stride: from one row to the next; in real numbers if `real`
  /// Rows are m real numbers, and their spectra are the m / 2 + 1 numbers of a half: r2c forward, c2r backward. c2r
  /// takes the first number of a half spectrum as real and, if m is even, the last one too. Real rows must not overlap
  /// with their spectra. Complex rows may be in the place of their spectra, with the same strides.
  bool real = false;
  /// Checks of the rows, beside columns.checks, whose results both share. Two real rows are one complex line. If the
  /// pass leaves out some columns, the numbers that its rows wrote or read there count as bits between the axes. The
  /// weights of both axes are scaled so that rounding errors of their sums have the same size.
  PassChecks row_checks{};
};

/// The number of points in a row's spectrum.
inline std::int64_t spectrum_points(std::int64_t m, bool real) { return real ? m / 2 + 1 : m; }
/// The number of planes, of plane_bytes each, that the L2 cache can hold beside those in work: so many may finish their
/// first axis before the first plane begins its second one. 0 if planes are too large for plane passes.
std::int64_t most_planes_ahead(std::int64_t plane_bytes, const DeviceFacts& facts);
/// Bytes of a plane of n rows of m points.
std::int64_t plane_bytes(std::int64_t n, std::int64_t m, Precision precision, bool real);
/// The number of planes ahead of a pass whose planes have `tiles` tiles, if the device works on `at_once` tiles: enough
/// that no tile waits long.
std::int64_t planes_ahead(const PlanePass& pass, std::int64_t tiles, std::int64_t at_once, const DeviceFacts& facts);
/// Whether rows of m numbers may be a stride apart: each begins at a multiple of 16 bytes, or at an offset that
/// contiguous rows have too.
bool rows_may_begin(std::int64_t m, std::int64_t stride, ElementType element);
/// Whether lines of such lengths may have kernels.
bool may_be_plane(std::int64_t n, std::int64_t m);
/// Whether such planes also fit into the L2 cache.
bool fits_planes(std::int64_t n, std::int64_t m, Precision precision, bool real, const DeviceFacts& facts);
/// Whether the current device has a kernel for planes of n rows of m points, or a compiler to make one in
/// prepare_planes(). Both lengths need line kernels, and the planes must fit (fits_planes).
bool planes_supported(std::int64_t n, std::int64_t m, Precision precision, bool real);
/// Whether there are kernels for the rows alone. Without columns no cache needs to hold the plane.
bool rows_supported(std::int64_t n, std::int64_t m);
/// As planes_supported(), for passes over this many numbers. A kernel that is compiled at its first use costs some
/// seconds; only large arrays are worth that.
bool planes_worthwhile(std::int64_t n, std::int64_t m, Precision precision, bool real, std::int64_t numbers);
/// The properties that a kernel depends on: n rows of m points, real rows or not, checks or not.
struct PlaneKernel {
  int n, m;
  Precision precision;
  bool real, checks;
};
/// As compile_ahead() of lines.
void compile_ahead(const PlaneKernel& kernel);
/// Makes the kernels and twiddle tables on the current device, once; they are kept until exit. Must be called on a
/// device before run() there, outside of stream capture.
void prepare_planes(int n, int m, Precision precision, bool real);
/// Whether plane passes can check themselves on the current device. Their kernels are compiled in
/// prepare_checked_planes().
bool planes_checkable(int n, int m);
/// As prepare_planes(), only for passes that check themselves.
void prepare_checked_planes(int n, int m, Precision precision, bool real);
/// Numbers in device memory that a pass over this many planes uses while it runs.
inline std::size_t plane_counters(std::int64_t planes) { return static_cast<std::size_t>(planes) + 1; }
/// The side that columns and rows have in common.
inline const Side& inner_side(const PlanePass& pass) {
  return pass.columns.direction == Direction::forward ? pass.columns.in : pass.columns.out;
}
/// The numbers between the axes that are dead after a pass: those of all rows, or those of columns' points
/// begin <= k < end.
struct Spent {
  bool rows = false;
  int begin = 0, end = 0;
};
Spent spent(const PlanePass& pass);
/// The requirements of run(), with and without a GPU.
void require_planes(const PlanePass& pass);
/// Enqueues the pass on `stream`. `counters` belong to it until it is done.
void run(const PlanePass& pass, std::uint32_t* counters, void* stream);

}  // namespace shardfft::device::lines
