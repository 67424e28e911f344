#pragma once
// Lines along both axes of planes in one pass over memory: what the first axis leaves is read again for the second one
// while it lies in the L2 cache.
#include "device/facts.hpp"
#include "device/line_pass.hpp"
#include "device/plane_cut.hpp"

namespace shardfft::device::lines {

/// Planes of n rows of m points; strides are any in whole units of 16 bytes, so that a plane's rows need not be
/// neighbours. Those of `rows` may begin within such units where rows of m numbers do (rows_may_begin). Forward: rows
/// from `rows` to columns.in, then columns from there to columns.out. Backward: columns from columns.in to columns.out,
/// then rows from there to `rows`. What lies between the axes and not where results do may be anything behind it. Only
/// the columns m_begin <= m < m_end are transformed, but all rows. Where columns end within a unit, the rest of it in
/// each row is written too.
struct PlanePass {
  /// Lines along the axis across the rows, of one owner on the side of `in`. The side that the rows are on (inner_side)
  /// is of one owner. There may be none of them (only_rows): then planes are of any size (rows_supported).
  Pass columns;
  bool only_rows() const { return columns.m_begin == columns.m_end; }
  int m = 0;  ///< points of a row
  Part rows;  ///< line_stride: from one row to the next; in real numbers where they are
  /// The rows are m real numbers, their spectra the m / 2 + 1 numbers of a half: forward r2c, backward c2r,
  /// which takes the first number of a half spectrum for real, and where m is even the last one. They must not overlap
  /// with their spectra. Complex ones may lie where their spectra do, with the same strides.
  bool real = false;
  /// With columns.checks, of the rows; where they are told is the columns'. Two real rows are a complex line. Of
  /// columns that do not belong to the pass, what its rows wrote or read counts as bits between its axes. The weights
  /// of both axes are so that rounding makes as much of the sums of one as of the other.
  PassChecks row_checks{};
};

/// Numbers of a row's spectrum.
inline std::int64_t spectrum_points(std::int64_t m, bool real) { return real ? m / 2 + 1 : m; }
/// Planes of so many bytes that the L2 cache can hold beside those that a pass works on: their first axis may come
/// before the second axis of the first one. None where planes are too large for plane passes.
std::int64_t most_planes_ahead(std::int64_t plane_bytes, const DeviceFacts& facts);
/// Bytes of a plane of n rows of m points.
std::int64_t plane_bytes(std::int64_t n, std::int64_t m, Precision precision, bool real);
/// How many come before for a pass whose planes have so many tiles, where the device works on `at_once` tiles: enough
/// for no tile to wait long.
std::int64_t planes_ahead(const PlanePass& pass, std::int64_t tiles, std::int64_t at_once, const DeviceFacts& facts);
/// Whether rows of m numbers may be a stride apart: they begin at multiples of 16 bytes, or as rows one behind the
/// other do.
bool rows_may_begin(std::int64_t m, std::int64_t stride, ElementType element);
/// Whether lines of such lengths may have kernels.
bool may_be_plane(std::int64_t n, std::int64_t m);
/// Whether such planes are small enough for the L2 cache, too.
bool fits_planes(std::int64_t n, std::int64_t m, Precision precision, bool real, const DeviceFacts& facts);
/// Whether planes of n rows of m points have a kernel on the current device, or a compiler to make one when it is
/// prepared: where both lengths have line kernels and the planes fit (fits_planes).
bool planes_supported(std::int64_t n, std::int64_t m, Precision precision, bool real);
/// Whether there are kernels for the rows alone, without columns, so that no cache has to hold the plane.
bool rows_supported(std::int64_t n, std::int64_t m);
/// As planes_supported(), for passes over so many numbers: kernels that are compiled when they are first needed, which
/// takes some seconds, are for large arrays only.
bool planes_worthwhile(std::int64_t n, std::int64_t m, Precision precision, bool real, std::int64_t numbers);
/// What kernels are made for: n rows of m points, with checks or without.
struct PlaneKernel {
  int n, m;
  Precision precision;
  bool real, checks;
};
/// As compile_ahead() of lines.
void compile_ahead(const PlaneKernel& kernel);
/// Kernels and twiddle tables on the current device; made once, kept until exit. Must have been called on a device
/// before run() there, outside of stream capture.
void prepare_planes(int n, int m, Precision precision, bool real);
/// Whether plane passes can check themselves on the current device: these kernels are compiled when they
/// are prepared.
bool planes_checkable(int n, int m);
/// As prepare_planes(), of passes that check themselves, and of no others.
void prepare_checked_planes(int n, int m, Precision precision, bool real);
/// Numbers in device memory that a pass over so many planes uses while it runs.
inline std::size_t plane_counters(std::int64_t planes) { return static_cast<std::size_t>(planes) + 1; }
/// The side that columns and rows have in common.
inline const Side& inner_side(const PlanePass& pass) {
  return pass.columns.direction == Direction::forward ? pass.columns.in : pass.columns.out;
}
/// What a pass leaves between its axes that is no result: behind all rows, or of so many points of the columns.
struct Spent {
  bool rows = false;
  int begin = 0, end = 0;
};
Spent spent(const PlanePass& pass);
/// What run() asks of a pass, with and without a GPU.
void require_planes(const PlanePass& pass);
/// Enqueues the pass on `stream`. `counters` belong to it until it is done.
void run(const PlanePass& pass, std::uint32_t* counters, void* stream);

}  // namespace shardfft::device::lines
