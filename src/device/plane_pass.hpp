#pragma once
// Lines along both axes of planes in one pass over memory: what the first axis leaves is read again for the second one
// while it lies in the L2 cache.
#include "device/facts.hpp"
#include "device/line_pass.hpp"

namespace shardfft::device::lines {

/// Planes [outer][n][n], or [outer][n][pitch] on the side of half spectra. Forward: rows (lines along the last axis)
/// from `rows` to columns.in, then columns from there to columns.out. Backward: columns from columns.in to columns.out,
/// then rows from there to `rows`. Only the columns m_begin <= m < m_end are transformed, but all rows.
struct PlanePass {
  /// Along the middle axis, of one owner on the side of `in`. The side that the rows are on is dense but for what may
  /// come after each half spectrum; columns may end within a bundle for real rows only.
  Pass columns;
  void* rows = nullptr;  ///< dense
  /// The rows are n real numbers, their spectra the n / 2 + 1 numbers of a half: forward r2c, backward c2r, which takes
  /// the first number and the last one of a half spectrum for real. They must not overlap with their spectra.
  bool real = false;
};

/// Numbers of a row's spectrum.
inline std::int64_t spectrum_points(std::int64_t n, bool real) { return real ? n / 2 + 1 : n; }
/// Whether the L2 cache holds so many planes of so many bytes.
inline bool planes_stay_cached(std::int64_t planes, std::int64_t plane_bytes, const DeviceFacts& facts) {
  return planes * plane_bytes <= static_cast<std::int64_t>(facts.l2_bytes);
}
/// Whether it holds what a plane pass over n * n points needs (tune/defaults.hpp).
bool planes_stay_cached(std::int64_t n, Precision precision, bool real, const DeviceFacts& facts);
/// Whether planes of n * n points have a kernel on the current device: where they are small enough for its L2 cache.
bool planes_supported(int n, Precision precision, bool real);
/// Whether a plane pass over n * n points can write its columns to the owners of such a side.
bool planes_shareable(int n, const Side& side);
/// Numbers in device memory that a pass over so many planes uses while it runs.
inline std::size_t plane_counters(std::int64_t planes) { return static_cast<std::size_t>(planes) + 1; }
/// Of columns and rows, the side that both have.
inline const Side& inner_side(const PlanePass& pass) {
  return pass.columns.direction == Direction::forward ? pass.columns.in : pass.columns.out;
}
/// What run() asks of a pass, with and without a GPU.
void require_planes(const PlanePass& pass);
/// Enqueues the pass on `stream`, after lines::prepare(n, precision). `counters` belong to it until it is done.
void run(const PlanePass& pass, std::uint32_t* counters, void* stream);

}  // namespace shardfft::device::lines
