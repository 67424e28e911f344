#pragma once
// The arguments of a line kernel. Compiled for the host, by nvcc and at run time: no headers.
#include "device/line_checks.hpp"
#include "device/line_cut.hpp"
#include "device/line_factors.hpp"

namespace shardfft::device::lines {

/// Points that a thread can hold.
inline constexpr int max_points = 32;

/// The driver's CUtensorMap.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

/// The source of a pass: one tensor map an owner (column in units of 8 bytes, point, outer), whose boxes hold `rows`
/// points of the bundle. Odd rows have one owner and four maps, because maps begin at multiples of 16 bytes and have
/// such strides. Map 2 * (outer index % 2) + point % 2 has every other point of every other line.
struct KernelInput {
  TensorMap owner[max_owners];
  int rows[max_owners];
  int owners, begin[max_owners + 1];  ///< first points, and the end of the last owner's
  unsigned bytes;                     ///< of all boxes of a tile
  unsigned shifted;                   ///< bit i: the rows of map i begin a unit of 8 bytes behind its base
};

/// The destination of a pass, and without bulk copies also its source; strides are in units of 8 bytes.
struct KernelOutput {
  /// Not `mixed`: the i-th points of all threads have one owner, and each is at point[i] plus an offset that all points
  /// of a thread share. Owners are near or far (bit i of `far`), and each of the two kinds has its own strides: the GPU
  /// itself and its peers, whose arrays may have other shapes.
  void* point[max_points];
  long long line_stride[2], outer_stride[2];
  unsigned far;
  unsigned mixed;
  /// Point k of owner q is at base + k * line_stride. Used if `mixed`, and at the ends of rows.
  struct Owner {
    void* base;
    long long line_stride, outer_stride;
  } owner[max_owners];
  int owners, begin[max_owners];  ///< first points
};

/// The input of kernels without bulk copies.
struct PlainInput {
  KernelOutput places;
  unsigned columns;  ///< columns from here on are not read; in units of 8 bytes
};

/// For kernels that check their lines (line_sums.cuh).
struct KernelChecks {
  const void* weights;                 ///< for a line's N input points, then for its results
  double input_factor, result_factor;  ///< of the sums
  double input_part, result_part;      ///< the allowed shares of the sums' squares
  double floor;                        ///< the allowed absolute difference beside these
  unsigned long long* results;         ///< pass_results numbers
  unsigned tiles;                      ///< tiles whose lines are compared together
  unsigned zero;                       ///< a zero that the compiler does not know
};

template <class Input>
struct PassOf {
  Input in;
  KernelOutput out;
  const void* table;
  unsigned tiles, tiles_in_row;
  unsigned outer_begin, m_begin;
  unsigned skew, skew_mask;  ///< tiles begin outer * skew & skew_mask earlier, in units of 8 bytes
  unsigned columns;          ///< columns from here on are not written; in units of 8 bytes
  unsigned end_mask;         ///< skew_mask if that end moves with the skew, else 0
  double scale;
  KernelChecks checks;
  LineFactors factors;  ///< forward, without checks
};
using KernelPass = PassOf<KernelInput>;
using PlainPass = PassOf<PlainInput>;

}  // namespace shardfft::device::lines
