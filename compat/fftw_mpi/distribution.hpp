#pragma once
// FFTW-MPI's distribution of arrays: blocks of equal length along each axis, the last one shorter.
#include <cstdint>
#include <optional>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft::compat {

/// One axis of an array, with the block lengths that the caller requested on both sides; 0: by FFTW's rule.
struct Dim {
  std::int64_t n = 1;
  std::int64_t in_block = 0;
  std::int64_t out_block = 0;
};

/// The length of the blocks that distribute n indices over that many parts.
std::int64_t default_block(std::int64_t n, std::int64_t parts);

/// The cut of one side of an array. Block number r in row-major order belongs to rank r.
struct Cut {
  Shape extents;
  Shape blocks;

  std::int64_t pieces() const;
  /// Extents and first indices of the part of a rank, one an axis; all 0 for a rank without a block.
  void part(int rank, std::int64_t* extent, std::int64_t* first) const;
  std::int64_t count(int rank) const;
  bool is_cut(int axis) const;
  /// If there are several numbers at each index, `howmany` is the last axis. In `transposed` arrays the second axis is
  /// the slowest in memory.
  Layout layout(int ranks, std::int64_t howmany, bool transposed) const;
};

struct Cuts {
  Cut in;
  Cut out;
};

/// Both sides, with FFTW's rule for blocks that were not requested.
Cuts complete(const std::vector<Dim>& dims, int ranks);

/// A complex line n = rows * columns that is transformed in two steps. Each rank has some rows or some columns.
struct Factors {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t row_block = 1;
  std::int64_t column_block = 1;
};

/// FFTW's flags for lines over several ranks: input or output has the order of its algorithm.
struct Scrambled {
  bool in = false;
  bool out = false;
};

/// The factors that FFTW chooses for one complex line over these ranks. None if the line stays on one rank, or if
/// `howmany` lines are distributed line by line in between.
std::optional<Factors> line_factors(std::int64_t n, std::int64_t howmany, int ranks, bool forward, Scrambled scrambled);
/// The blocks that follow from the factors.
Cuts cut_line(std::int64_t n, const Factors& factors, Scrambled scrambled);

/// The results of the local_size functions.
struct LocalSize {
  std::int64_t allocate = 0;  ///< numbers that the local array must hold, at least as many as FFTW requires
  Shape in_extent, in_first, out_extent, out_first;
};
LocalSize local_size(const std::vector<Dim>& dims, std::int64_t howmany, int ranks, int rank, bool forward,
                     Scrambled scrambled);

}  // namespace shardfft::compat
