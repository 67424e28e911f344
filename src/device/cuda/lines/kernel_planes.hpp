#pragma once
// What a plane kernel is told.
#include "device/cuda/lines/kernel_pass.hpp"

namespace shardfft::device::lines {

/// Where rows are read and written.
struct KernelRows {
  const char* in;  ///< of plane 0
  char* out;
  unsigned spectrum_stride;         ///< bytes from one half spectrum to the next; for real rows only
  unsigned kept_begin, kept_count;  ///< points of a row that the second axis will read
};

struct KernelPlanes {
  KernelInput columns_in;
  KernelOutput columns_out;
  KernelRows rows;
  const void* table;
  unsigned* ticket;  ///< the next tile to take
  unsigned* done;    ///< of each plane: tiles of the first axis
  unsigned planes, outer_begin, m_begin;
  unsigned ahead;                    ///< planes whose first axis comes before the second axis of the first one
  unsigned row_tiles, column_tiles;  ///< of a plane
  unsigned columns;                  ///< none are written from here on, in units of 8 bytes
  double scale;
};

}  // namespace shardfft::device::lines
