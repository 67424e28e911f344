#pragma once
// How FFTW-MPI deals arrays to ranks: blocks of equal length along each axis, the last one shorter.
#include <cstdint>
#include <optional>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft::compat {

/// One axis of an array, with the block lengths that the caller asked for on both sides; 0 leaves them to FFTW's rule.
struct Dim {
  std::int64_t n = 1;
  std::int64_t in_block = 0;
  std::int64_t out_block = 0;
};

/// The length of the blocks that deal n indices to that many parts.
std::int64_t default_block(std::int64_t n, std::int64_t parts);

/// How one side of an array is cut. Block number r in row-major order belongs to rank r.
struct Cut {
  Shape extents;
  Shape blocks;

  std::int64_t pieces() const;
  /// Extents and first indices of the part of a rank, one an axis; all 0 for a rank without a block.
  void part(int rank, std::int64_t* extent, std::int64_t* first) const;
  std::int64_t count(int rank) const;
  bool is_cut(int axis) const;
  /// With `howmany` numbers at each index, as a last axis, if there are several; `transposed` arrays have their second
  /// axis slowest in memory.
  Layout layout(int ranks, std::int64_t howmany, bool transposed) const;
};

struct Cuts {
  Cut in;
  Cut out;
};

/// Both sides with FFTW's rule in place of the blocks that were not asked for.
Cuts complete(const std::vector<Dim>& dims, int ranks);

/// A complex line n = rows * columns that is transformed in two steps. Each rank has some rows or some columns.
struct Factors {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t row_block = 1;
  std::int64_t column_block = 1;
};

/// What FFTW's flags say of lines over several ranks: the order of their input or output is its algorithm's own.
struct Scrambled {
  bool in = false;
  bool out = false;
};

/// The factors that FFTW takes for one complex line over these ranks; none where it is left on one rank, or where
/// `howmany` lines are dealt by lines in between.
std::optional<Factors> line_factors(std::int64_t n, std::int64_t howmany, int ranks, bool forward, Scrambled scrambled);
/// The blocks that follow from them.
Cuts cut_line(std::int64_t n, const Factors& factors, Scrambled scrambled);

/// What the local_size functions answer.
struct LocalSize {
  std::int64_t allocate = 0;  ///< numbers that the local array must hold, at least what FFTW says
  Shape in_extent, in_first, out_extent, out_first;
};
LocalSize local_size(const std::vector<Dim>& dims, std::int64_t howmany, int ranks, int rank, bool forward,
                     Scrambled scrambled);

}  // namespace shardfft::compat
