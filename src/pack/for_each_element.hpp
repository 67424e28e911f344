#pragma once
// A walk over the elements of a piece.
#include <array>

#include "shardfft/layout.hpp"

namespace shardfft {

/// Calls visit(memory offset, index) for every element of a piece; the innermost axis is the last.
template <class Visit>
void for_each_element(const Piece& piece, Visit visit) {
  if (piece.set.empty()) return;
  const auto axes = static_cast<std::size_t>(piece.set.axes);
  std::array<std::int64_t, max_axes> at{};
  std::array<std::int64_t, max_axes> index{};
  for (std::size_t a = 0; a < axes; ++a) index[a] = piece.set.axis[a].first;
  std::int64_t offset = piece.offset;
  while (true) {
    visit(offset, index);
    std::size_t a = axes;
    while (a > 0) {
      const Progression& p = piece.set.axis[--a];
      offset += piece.stride[a];
      index[a] += p.stride;
      if (++at[a] < p.count) break;
      offset -= p.count * piece.stride[a];
      index[a] = p.first;
      at[a] = 0;
      if (a == 0) return;
    }
  }
}

}  // namespace shardfft
