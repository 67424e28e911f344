#pragma once
// Layouts seen through a digit split: an axis of n = rows * columns becomes the two axes of index = row * columns +
// column. Nothing moves; six-step and cyclic transforms are written in these axes.
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// How one axis is split; rows == 0 leaves it whole.
struct DigitSplit {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// The layout in the split axes: axis a becomes (row, column), or (column, row) if `column_first`. `splits` has one
/// entry an axis. Indices of `layout` must be below rows * columns.
Layout digit_view(const Layout& layout, const std::vector<DigitSplit>& splits, bool column_first);

}  // namespace shardfft
