#pragma once
// The arguments of a plane kernel. Compiled for the host, by nvcc and at run time: no headers.
#include "device/cuda/lines/kernel_pass.hpp"

namespace shardfft::device::lines {

/// The source and the destination of rows. Strides are in bytes.
struct KernelRows {
  const char* in;  ///< of plane 0
  char* out;
  long long in_stride, out_stride;  ///< from a row to the next one
  long long in_plane, out_plane;    ///< from a plane to the next one
  unsigned kept_begin, kept_count;  ///< points of a row that the second axis will read
  unsigned spent_bytes;             ///< of a row, which nobody reads again after its transform
};

struct KernelPlanes {
  KernelInput columns_in;
  KernelOutput columns_out;
  KernelRows rows;
  const void *row_table, *column_table;
  unsigned* ticket;  ///< the next tile to take
  unsigned* done;    ///< finished tiles of each plane's first axis
  unsigned planes, outer_begin, m_begin;
  unsigned ahead;                    ///< planes whose first axis comes before the first plane's second axis
  unsigned row_tiles, column_tiles;  ///< of a plane
  unsigned columns;                  ///< columns from here on are not written; in units of 8 bytes
  unsigned spent_tiles;              ///< tiles of columns whose points below are dead once they are read
  unsigned spent_begin, spent_end;
  double scale;
  KernelChecks row_checks, column_checks;  ///< the columns' have the results of both
};

}  // namespace shardfft::device::lines
