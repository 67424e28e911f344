#pragma once
// What a line kernel is told. Compiled for the host, by nvcc and at run time: no headers.
#include "device/line_checks.hpp"
#include "device/line_cut.hpp"

namespace shardfft::device::lines {

/// Points that a thread can hold.
inline constexpr int max_points = 32;

/// The driver's CUtensorMap.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

/// Where a pass reads: one tensor map (column in units of 8 bytes, point, outer) an owner, whose boxes hold `rows`
/// points of the bundle. Odd rows have one owner and four maps, since maps begin at multiples of 16 bytes and have such
/// strides: 2 * (outer index % 2) + point % 2, each of every other point of every other line.
struct KernelInput {
  TensorMap owner[max_owners];
  int rows[max_owners];
  int owners, begin[max_owners + 1];  ///< first points, and behind the last one
  unsigned bytes;                     ///< of all boxes of a tile
  unsigned shifted;                   ///< bit i: the rows of map i begin a unit of 8 bytes behind its own
};

/// Where a pass writes, and without bulk copies reads; strides are in units of 8 bytes.
struct KernelOutput {
  /// Not `mixed`: the i-th points of all threads have one owner, and lie at point[i] + (a place that they share).
  /// Owners come in two kinds, near and far (bit i of `far`), with strides of their own: the GPU itself and its peers,
  /// which may have other shapes.
  void* point[max_points];
  long long line_stride[2], outer_stride[2];
  unsigned far;
  unsigned mixed;
  /// Point k of owner q lies at base + k * line_stride: where it is mixed, and at the ends of rows.
  struct Owner {
    void* base;
    long long line_stride, outer_stride;
  } owner[max_owners];
  int owners, begin[max_owners];  ///< first points
};

/// Without bulk copies.
struct PlainInput {
  KernelOutput places;
  unsigned columns;  ///< none are read from here on, in units of 8 bytes
};

/// For kernels that check their lines (line_sums.cuh).
struct KernelChecks {
  const void* weights;                 ///< of a line's N input points, then of its results
  double input_factor, result_factor;  ///< of the sums
  double input_part, result_part;      ///< of the sums' squares, that is allowed
  double floor;                        ///< and so much more
  unsigned long long* results;         ///< pass_results of them
  unsigned tiles;                      ///< that are compared together
  unsigned zero;                       ///< which the compiler does not know
};

template <class Input>
struct PassOf {
  Input in;
  KernelOutput out;
  const void* table;
  unsigned tiles, tiles_in_row;
  unsigned outer_begin, m_begin;
  unsigned skew, skew_mask;  ///< tiles begin outer * skew & skew_mask earlier, in units of 8 bytes
  unsigned columns;          ///< none are written from here on, in units of 8 bytes
  unsigned end_mask;         ///< skew_mask where that end is as much earlier, too; else 0
  double scale;
  KernelChecks checks;
};
using KernelPass = PassOf<KernelInput>;
using PlainPass = PassOf<PlainInput>;

}  // namespace shardfft::device::lines
