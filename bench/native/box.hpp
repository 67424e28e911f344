// Where a rank's part of the array is, in the array and in memory; the process grids every adapter shares.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "case.hpp"

namespace shardfft::bench {

// The part of one side (input or output) that a rank holds. Strides count elements: reals on the field side
// of a real transform, complex numbers everywhere else. They express padding and any order of the axes.
struct Part {
  Triple lower{};
  Triple count{};
  Triple stride{};
  Triple step{1, 1, 1};  // from an index to the next one, along each axis

  std::int64_t volume() const { return count[0] * count[1] * count[2]; }
  // Elements from the first to one past the last, padding included.
  std::int64_t span() const;
};

// A part whose axes follow each other in memory without gaps; `order` lists them from slowest to fastest.
Part packed_part(const Triple& lower, const Triple& count, const std::array<int, 3>& order = {0, 1, 2});

struct Range {
  std::int64_t lower = 0;
  std::int64_t count = 0;
};
// Block `index` of `n` points cut in `blocks`, the first n % blocks of them one point longer.
Range block(std::int64_t n, int blocks, int index);
// Block `index` of `n` points cut in blocks of ceil(n / blocks) points; the last ones may be short or empty.
Range ceil_block(std::int64_t n, int blocks, int index);

// The grid of the case when it names one (its product must be `ranks`), else the near-square factorisation
// with the smaller extent first.
std::array<int, 2> pencil_grid(const Case& wanted, int ranks);
// The grid of the case when it names one, else the factorisation with the least surface of a brick.
std::array<int, 3> brick_grid(const Case& wanted, int ranks);
// Brick of `rank` (last grid axis fastest) of an array of that shape.
Part brick_part(const Triple& shape, const std::array<int, 3>& grid, int rank);

// What this rank holds of both sides, for libraries that take any boxes: axis 0 split in and axis 1 out, pencils, or
// the same bricks on both; natural output is cut as the input.
struct SideParts {
  Part field, spectrum;
};
SideParts side_parts(const Case& wanted, MPI_Comm comm);

// Part of a rank that holds every ranks-th plane of axis 0.
Part cyclic_part(const Triple& shape, int rank, int ranks);

// The parts of all ranks on rank 0, elsewhere empty.
std::vector<Part> gather_parts(const Part& mine, MPI_Comm comm);
// Empty when the parts tile the shape exactly, else what is wrong. On rank 0 only.
std::string tiling_fault(const std::vector<Part>& parts, const Triple& shape);
// Number of axes that some rank does not hold whole.
int split_axes(const std::vector<Part>& parts, const Triple& shape);
// Points that change their rank between the two sides: the largest number any rank sends, and the total.
struct Moved {
  std::int64_t largest = 0;
  std::int64_t total = 0;
};
Moved moved_points(const std::vector<Part>& from, const std::vector<Part>& to);

Json to_json(const std::vector<Part>& parts);

}  // namespace shardfft::bench
