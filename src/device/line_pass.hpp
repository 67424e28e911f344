#pragma once
// One pass over memory: FFTs along one strided axis of a three-dimensional array, read from and written to the memory
// of several owners (GPUs), so that results lie where the next step wants them.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/round_up.hpp"
#include "device/line_checks.hpp"
#include "device/line_cut.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device::lines {

/// An owner's part of the data: `base` is the first point of the first line, strides are in complex elements.
struct Part {
  void* base = nullptr;
  std::int64_t line_stride = 0;   ///< from one point of a line to the next
  std::int64_t outer_stride = 0;  ///< from one value of the outer index to the next
};

/// One side of a pass. Owners have runs of a line's points: the first whole_owners have `block`, the others one fewer.
/// Point k of line (outer, m) lies at (k - the first point of its owner) * line_stride + outer * outer_stride + m of
/// that owner's part; m is the contiguous axis.
struct Side {
  std::array<Part, max_owners> part{};
  int block = 1 << 30;
  int whole_owners = 1 << 30;
  /// Columns m from here on are not there: they are not written, and what is read for them means nothing.
  std::int64_t columns = std::int64_t{1} << 31;
};
/// The first point of owner q; behind the last point for q = owners().
inline int owner_begin(const Side& side, int n, int q) {
  const std::int64_t begin = std::int64_t{side.block} * q - std::max(0, q - side.whole_owners);
  return static_cast<int>(std::min<std::int64_t>(begin, n));
}
/// How many ranks own points of a line of n points.
inline int owners(const Side& side, int n) {
  int count = 1;
  while (count <= max_owners && owner_begin(side, n, count) < n) ++count;
  return count;
}

/// What a pass needs to check itself (option verify). It transforms lines forward; those of backward passes too, with
/// the parts of all their numbers exchanged.
struct PassChecks {
  /// Device memory: times its weights the input of a line adds up to the same as its result; real parts are compared.
  /// How they lie there says device/line_checks.hpp.
  const void* weights = nullptr;
  double input_factor = 1, result_factor = 1;  ///< of the sums
  SumLimits limits;                            ///< of one line
  std::uint64_t* results = nullptr;            ///< device memory, pass_results; null: it checks nothing
};

/// Lines outer_begin <= outer < outer_end, m_begin <= m < m_end of length n.
/// m_begin and strides must be multiples of 16 bytes; but strides may be odd in single precision where
/// takes_odd_rows(n), of one owner, with one owner of `in` too. Fastest where m_begin and m_end are multiples of
/// granule(precision).
struct Pass {
  int n = 0;
  Precision precision = Precision::f64;
  Direction direction = Direction::forward;
  Side in, out;
  std::int64_t outer_begin = 0, outer_end = 0, m_begin = 0, m_end = 0;
  double scale = 1;
  /// For rows of `out` that are no whole bundles: each row's bundles begin where bundles of memory do, up to a bundle
  /// before m_begin, so that no store straddles two of them. Has no effect where line_stride is not in whole granules.
  bool align_stores = false;
  int blocks = 0;  ///< thread blocks to use; 0 fills the GPU. Fewer leave multiprocessors to other work.
  PassChecks checks{};
};

/// Complex numbers in 16 bytes, the unit in which passes read and write.
inline int unit(Precision precision) { return precision == Precision::f64 ? 1 : 2; }
/// Numbers in 256 bytes: what rows are padded and cut to.
inline int granule(Precision precision) { return precision == Precision::f64 ? 16 : 32; }
/// So many columns and what fills their last bundle.
inline std::int64_t whole_bundles(std::int64_t columns, Precision precision) {
  return round_up(columns, granule(precision));
}
/// Whether there is a kernel for lines of n points on the current device, or a compiler to make one when it is
/// prepared. It needs no larger prime factor than 13, and the shared memory; the library's own kernels need bulk tensor
/// copies (Hopper on), and so do plane passes.
bool supported(int n);
/// As supported(), for passes over this many numbers. Kernels that are compiled when they are first needed, which takes
/// about a second, are only worthwhile for large arrays.
bool worthwhile(std::int64_t n, std::int64_t numbers);
/// Whether all rows of so many numbers begin with units of 16 bytes, if the first one does.
inline bool begins_with_units(std::int64_t row, Precision precision) { return row % unit(precision) == 0; }
/// Whether not all rows can begin at multiples of 16 bytes: neighbours, or those of neighbouring points of a line.
inline bool has_odd_rows(const Side& side, Precision precision) {
  return !begins_with_units(side.part[0].outer_stride, precision) ||
         !begins_with_units(side.part[0].line_stride, precision);
}
/// Whether all rows of so many numbers begin where runs of 128 bytes of memory do, if the first one does.
inline bool begins_with_runs(std::int64_t row, Precision precision) { return row % (granule(precision) / 2) == 0; }
/// Whether all rows of so many numbers begin on sectors of 32 bytes, if the first one does. Memory reads and writes
/// whole sectors: if a row begins in the middle of one, the sector is read before it is written.
inline bool begins_with_sectors(std::int64_t row, Precision precision) { return row % (granule(precision) / 8) == 0; }
/// Whether passes along lines of n points over rows of so many numbers are faster than a library's strided transforms:
/// rows that begin within runs of 128 bytes cost about half of the speed, and libraries are fast at powers of two.
inline bool faster(std::int64_t n, std::int64_t row, Precision precision) {
  return begins_with_runs(row, precision) || (n & (n - 1)) != 0;
}
/// Whether it can have odd strides in single precision.
bool takes_odd_rows(int n);
/// Whether a pass over lines of n points on the current device can read from the owners of such a side, in few copies.
bool reads_from(int n, const Side& side);
/// Whether a kernel with such tiles can read this side.
bool reads_from(const TileCut& tile, const Side& side);
/// Kernels and twiddle tables on the current device for lines of n points, and for planes of n * n; made once, kept
/// until exit. `odd_rows`: for passes that have some (is_odd), in single precision where takes_odd_rows(n), and for no
/// others. Must have been called on a device before run() there, outside of stream capture.
void prepare(int n, Precision precision, bool odd_rows = false);
/// Whether passes over lines of n points can check themselves on the current device: these kernels are compiled when
/// they are prepared.
bool checkable(int n);
/// As prepare(), of passes that check themselves, and of no others.
void prepare_checked(int n, Precision precision, bool odd_rows = false);
/// What kernels are made for: lines of n points, in odd rows or others, with checks or without.
struct LineKernel {
  int n;
  Precision precision;
  bool odd = false, checks = false;
};
/// Begins, on other threads, to compile what preparing it would wait for. For several kernels: they are compiled at the
/// same time, and beside whatever else the caller does.
void compile_ahead(const LineKernel& kernel);
inline bool is_odd(const Pass& pass) {
  return has_odd_rows(pass.in, pass.precision) || has_odd_rows(pass.out, pass.precision);
}
/// Whether kernels can count `outer` rows of so many columns, and the bundles in them: 32 bits with a sign count units
/// of 8 bytes, two in a column, and up to a bundle more.
inline bool countable(std::int64_t outer, std::int64_t columns) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  return columns <= most - 64 && outer <= most / 4 && outer * columns <= most;
}
/// What prepare() asks, with and without a GPU.
void require_kernel(int n, Precision precision, bool odd_rows);
/// What run() asks of a pass, with and without a GPU, but for what depends on the kernel.
void require_pass(const Pass& pass);
/// Enqueues the pass on `stream` (a cudaStream_t of the current device).
void run(const Pass& pass, void* stream);

}  // namespace shardfft::device::lines
