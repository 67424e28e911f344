#pragma once
// What a plane kernel is told. Compiled for the host, by nvcc and at run time: no headers.
#include "device/cuda/lines/kernel_pass.hpp"

namespace shardfft::device::lines {

/// Where rows are read and written. Strides are in bytes.
struct KernelRows {
  const char* in;  ///< of plane 0
  char* out;
  long long in_stride, out_stride;  ///< from a row to the next one
  long long in_plane, out_plane;    ///< from a plane to the next one
  unsigned kept_begin, kept_count;  ///< points of a row that the second axis will read
  unsigned spent_bytes;             ///< of a row, which nobody reads behind the rows
};

struct KernelPlanes {
  KernelInput columns_in;
  KernelOutput columns_out;
  KernelRows rows;
  const void *row_table, *column_table;
  unsigned* ticket;  ///< the next tile to take
  unsigned* done;    ///< of each plane: tiles of the first axis
  unsigned planes, outer_begin, m_begin;
  unsigned ahead;                    ///< planes whose first axis comes before the second axis of the first one
  unsigned row_tiles, column_tiles;  ///< of a plane
  unsigned columns;                  ///< none are written from here on, in units of 8 bytes
  unsigned spent_tiles;              ///< tiles of columns, of which nobody reads these points where the rows were left
  unsigned spent_begin, spent_end;
  double scale;
  KernelChecks row_checks, column_checks;  ///< what is compared is told by the columns'
};

}  // namespace shardfft::device::lines
