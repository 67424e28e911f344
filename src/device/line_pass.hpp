#pragma once
// One pass over memory: FFTs along one strided axis of a three-dimensional array, read from and written to the memory
// of several owners (GPUs), so that results lie where the next step wants them.
#include <array>
#include <cstdint>

#include "shardfft/types.hpp"

namespace shardfft::device::lines {

inline constexpr int max_owners = 8;

/// An owner's part of the data: `base` is the first point of the first line, strides are in complex elements.
struct Part {
  void* base = nullptr;
  std::int64_t line_stride = 0;   ///< from one point of a line to the next
  std::int64_t outer_stride = 0;  ///< from one value of the outer index to the next
};

/// One side of a pass. Point k of line (outer, m) belongs to part[k / block], and lies there at
/// (k % block) * line_stride + outer * outer_stride + m; m is the contiguous axis.
struct Side {
  std::array<Part, max_owners> part{};
  int block = 1 << 30;  ///< points an owner
  /// Columns m from here on are not there: they are not written, and what is read for them means nothing.
  std::int64_t columns = std::int64_t{1} << 31;
};
/// Of lines of n points.
inline int owners(const Side& side, int n) { return side.block >= n ? 1 : (n + side.block - 1) / side.block; }
/// Whether neighbouring rows cannot both begin at multiples of 16 bytes.
inline bool has_odd_rows(const Side& side, Precision precision) {
  return precision == Precision::f32 && side.part[0].outer_stride % 2 != 0;
}

/// Lines outer_begin <= outer < outer_end, m_begin <= m < m_end of length n.
/// m_begin and m_end - m_begin must be multiples of granule(precision), strides of 16 bytes; but outer strides may be
/// odd in single precision where takes_odd_rows(n), of one owner, in `in` if outer_end is even.
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
};

/// Complex numbers in 16 bytes, the unit in which passes read and write.
inline int unit(Precision precision) { return precision == Precision::f64 ? 1 : 2; }
/// The widest bundle of neighbouring lines: m ranges are multiples of it.
int granule(Precision precision);
/// So many columns and what fills their last bundle.
inline std::int64_t whole_bundles(std::int64_t columns, Precision precision) {
  const std::int64_t bundle = granule(precision);
  return (columns + bundle - 1) / bundle * bundle;
}
/// Whether a fused kernel exists for lines of n points on the current device (it needs bulk tensor copies,
/// Hopper on, and the shared memory).
bool supported(int n);
/// Whether it can have odd outer strides in single precision.
bool takes_odd_rows(int n);
/// Whether lines of n points can be cut into equal blocks of `owners` owners.
bool shareable(int n, int owners);
/// Twiddle tables on the current device for lines of n points, and for planes of n * n (uploaded once a device, kept
/// until exit). Must have been called on a device before run() there, outside of stream capture.
void prepare(int n, Precision precision);
inline bool is_odd(const Pass& pass) {
  return has_odd_rows(pass.in, pass.precision) || has_odd_rows(pass.out, pass.precision);
}
/// What run() asks of a pass, with and without a GPU, but for what depends on the kernel.
void require_pass(const Pass& pass);
/// Enqueues the pass on `stream` (a cudaStream_t of the current device).
void run(const Pass& pass, void* stream);

}  // namespace shardfft::device::lines
