#pragma once
// One layout of every kind, for any shape and number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "shardfft/layout.hpp"
#include "support/seed.hpp"

namespace shardfft::test {

/// `ranks` as a product of `axes` factors, as equal as can be, the larger ones first.
Shape process_grid(int ranks, std::size_t axes);

AxisOrder reversed_order(std::size_t axes);

/// The last axis becomes the slowest.
AxisOrder rotated_order(std::size_t axes);

IndexSet whole_box(const Shape& shape);

IndexSet empty_set(const Shape& shape);

/// Runs of 3, 0, 1, 3, 0, 1, ... planes of axis 0; the last rank takes the rest.
Layout uneven_boxes(const Shape& shape, int ranks, const AxisOrder& order = {});

/// Boxes cut at random again and again, given to the ranks in random order; some ranks may stay empty.
Layout mosaic(const Shape& shape, int ranks, std::uint64_t stream, const AxisOrder& order = {});

/// Bricks whose ranks count the first axis fastest, as Fortran programs have them.
Layout column_major_bricks(const Shape& shape, int ranks);

struct NamedLayout {
  std::string name;
  Layout layout;
};

std::vector<NamedLayout> zoo(const Shape& shape, int ranks);

/// The zoo's layout called `name`, or "slab along 2": planes along that axis, in natural order.
Layout zoo_layout(const std::string& name, const Shape& shape, int ranks);

}  // namespace shardfft::test
