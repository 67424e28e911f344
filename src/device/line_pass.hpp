#pragma once
// One pass over memory: FFTs along one strided axis of a three-dimensional array. A pass reads from and writes to the
// memory of several owners (GPUs), so that results arrive in the place that the next step reads.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/round_up.hpp"
#include "device/line_checks.hpp"
#include "device/line_cut.hpp"
#include "device/line_factors.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device::lines {

/// An owner's part of the data: `base` is the first point of the first line, strides are in complex elements.
struct Part {
  void* base = nullptr;
  std::int64_t line_stride = 0;   ///< from one point of a line to the next
  std::int64_t outer_stride = 0;  ///< from one value of the outer index to the next
};

/// One side of a pass. Each owner has a run of a line's points: the first whole_owners have `block` points, the others
/// one fewer. In its owner's part, point k of line (outer, m) has the offset
/// (k - the owner's first point) * line_stride + outer * outer_stride + m; m is the contiguous axis.
struct Side {
  std::array<Part, max_owners> part{};
  int block = 1 << 30;
  int whole_owners = 1 << 30;
  /// Columns m from here on do not exist: they are not written, and their input values have no meaning.
  std::int64_t columns = std::int64_t{1} << 31;
};
/// The first point of owner q; q = owners() gives the end of the line.
inline int owner_begin(const Side& side, int n, int q) {
  const std::int64_t begin = std::int64_t{side.block} * q - std::max(0, q - side.whole_owners);
  return static_cast<int>(std::min<std::int64_t>(begin, n));
}
/// The number of ranks that own points of a line of n points.
inline int owners(const Side& side, int n) {
  int count = 1;
  while (count <= max_owners && owner_begin(side, n, count) < n) ++count;
  return count;
}

/// The data with which a pass checks itself (option verify). The check sees forward transforms of lines: those of a
/// backward pass are forward ones of numbers whose real and imaginary parts are exchanged.
struct PassChecks {
  /// Device memory; its order is described in device/line_checks.hpp. Weighted sums of a line's input and of its result
  /// agree; their real parts are compared.
  const void* weights = nullptr;
  double input_factor = 1, result_factor = 1;  ///< of the sums
  SumLimits limits;                            ///< of one line
  std::uint64_t* results = nullptr;            ///< device memory, pass_results; null: no check
};

/// Lines outer_begin <= outer < outer_end, m_begin <= m < m_end of length n. m_begin and strides must be multiples of
/// 16 bytes. Exception: strides may be odd in single precision if takes_odd_rows(n), the odd side has one owner, and
/// `in` has one owner. Fastest if m_begin and m_end are multiples of granule(precision).
struct Pass {
  int n = 0;
  Precision precision = Precision::f64;
  Direction direction = Direction::forward;
  Side in, out;
  std::int64_t outer_begin = 0, outer_end = 0, m_begin = 0, m_end = 0;
  double scale = 1;
  /// For rows of `out` that are not whole bundles. The bundles of each row then begin at multiples of a bundle in
  /// memory, up to a bundle before m_begin, so that no store straddles two of them. Without effect if line_stride is
  /// not a multiple of a granule.
  bool align_stores = false;
  int blocks = 0;  ///< thread blocks to use; 0 fills the GPU. Fewer leave multiprocessors to other work.
  PassChecks checks{};
  LineFactors factors{};  ///< of a forward pass without checks: it multiplies its results by them
};

/// Complex numbers in 16 bytes, the unit in which passes read and write.
inline int unit(Precision precision) { return precision == Precision::f64 ? 1 : 2; }
/// Numbers in 256 bytes: rows are padded and cut to multiples of it.
inline int granule(Precision precision) { return precision == Precision::f64 ? 16 : 32; }
/// `columns`, rounded up to whole bundles.
inline std::int64_t whole_bundles(std::int64_t columns, Precision precision) {
  return round_up(columns, granule(precision));
}
/// Whether the current device has a kernel for lines of n points, or a compiler to make one in prepare(). n must have
/// no prime factor above 13, and a bundle must fit into shared memory. The library's own kernels, and all plane passes,
/// need bulk tensor copies (Hopper or later).
bool supported(int n);
/// As supported(), for passes over this many numbers. A kernel that is compiled at its first use costs about a second;
/// only large arrays are worth that.
bool worthwhile(std::int64_t n, std::int64_t numbers);
/// Whether all rows of `row` numbers begin at multiples of 16 bytes, if the first one does.
inline bool begins_with_units(std::int64_t row, Precision precision) { return row % unit(precision) == 0; }
/// Whether some rows cannot begin at multiples of 16 bytes: those of the next outer index or of a line's next point.
inline bool has_odd_rows(const Side& side, Precision precision) {
  return !begins_with_units(side.part[0].outer_stride, precision) ||
         !begins_with_units(side.part[0].line_stride, precision);
}
/// Whether all rows of `row` numbers begin at multiples of 128 bytes, if the first one does.
inline bool begins_with_runs(std::int64_t row, Precision precision) { return row % (granule(precision) / 2) == 0; }
/// Whether all rows of `row` numbers begin at sectors of 32 bytes, if the first one does. Memory reads and writes whole
/// sectors: if a row begins in the middle of one, the sector is read before it is written.
inline bool begins_with_sectors(std::int64_t row, Precision precision) { return row % (granule(precision) / 8) == 0; }
/// Whether passes along lines of n points over rows of `row` numbers are faster than a library's strided transforms.
/// Rows that begin within runs of 128 bytes cost about half of the speed, and libraries are fast at powers of two.
inline bool faster(std::int64_t n, std::int64_t row, Precision precision) {
  return begins_with_runs(row, precision) || (n & (n - 1)) != 0;
}
/// Whether lines of n points can have odd strides in single precision.
bool takes_odd_rows(int n);
/// Whether a pass over lines of n points on the current device can read from the owners of this side in few copies.
bool reads_from(int n, const Side& side);
/// Whether a kernel with such tiles can read this side.
bool reads_from(const TileCut& tile, const Side& side);
/// Makes the kernels and twiddle tables for lines of n points on the current device, once; they are kept until exit.
/// `odd_rows`: for passes with odd rows only (is_odd), in single precision, if takes_odd_rows(n). Must be called on a
/// device before run() there, outside of stream capture.
void prepare(int n, Precision precision, bool odd_rows = false);
/// Whether passes over lines of n points can check themselves on the current device. Their kernels are compiled in
/// prepare_checked().
bool checkable(int n);
/// As prepare(), only for passes that check themselves.
void prepare_checked(int n, Precision precision, bool odd_rows = false);
/// As prepare(), only for forward passes with factors. Needs a compiler, as checks do: see checkable().
void prepare_to_multiply(int n, Precision precision, bool odd_rows = false);
/// The properties that a kernel depends on: the length of lines, odd rows or not, checks or not, factors or not.
struct LineKernel {
  int n;
  Precision precision;
  bool odd = false, checks = false, multiplies = false;
};
/// Begins to compile a kernel on other threads, before prepare() waits for it. Several kernels compile at the same
/// time, and beside other work of the caller.
void compile_ahead(const LineKernel& kernel);
inline bool is_odd(const Pass& pass) {
  return has_odd_rows(pass.in, pass.precision) || has_odd_rows(pass.out, pass.precision);
}
/// Whether kernels can count `outer` rows of `columns` columns, and their bundles: signed 32-bit numbers count units of
/// 8 bytes, two a column, and up to a bundle more.
inline bool countable(std::int64_t outer, std::int64_t columns) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return columns <= most - 64 && outer <= most / 4 && outer * columns <= most;
}
/// The requirements of prepare(), with and without a GPU.
void require_kernel(int n, Precision precision, bool odd_rows);
/// The requirements of run(), with and without a GPU, except those that depend on the kernel.
void require_pass(const Pass& pass);
/// Enqueues the pass on `stream` (a cudaStream_t of the current device).
void run(const Pass& pass, void* stream);

}  // namespace shardfft::device::lines
