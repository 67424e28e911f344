// Arrays that change their layout, with elements of any kind.
#include <algorithm>
#include <array>

#include "algorithm/algorithm.hpp"

namespace shardfft {

namespace {

/// Element sizes that copies and messages support, the largest first.
constexpr std::array<std::size_t, 5> units{16, 8, 4, 2, 1};

/// Every element as `parts` smaller ones, along a new axis that is the fastest in memory.
Layout in_parts(const Layout& layout, std::int64_t parts) {
  if (parts == 1) return layout;
  Shape shape = layout.shape();
  shape.push_back(parts);
  const Progression all{0, parts, 1};
  return Layout::from_pieces(shape, layout.ranks(), [layout, parts, all](int rank) {
    std::vector<Piece> pieces = layout.pieces(rank);
    for (Piece& piece : pieces) {
      for (std::int64_t& stride : piece.stride) stride *= parts;
      piece.offset *= parts;
      piece.stride[static_cast<std::size_t>(piece.set.axes)] = 1;
      piece.set.axis[static_cast<std::size_t>(piece.set.axes++)] = all;
    }
    return pieces;
  });
}

}  // namespace

Program move_program(const Layout& from, const Layout& to, std::size_t element_bytes, std::int64_t batch) {
  const std::size_t unit =
      *std::find_if(units.begin(), units.end(), [=](std::size_t size) { return element_bytes % size == 0; });
  const auto state = [&](const Layout& layout) {
    const Layout parts = in_parts(layout, static_cast<std::int64_t>(element_bytes / unit));
    return State{.layout = parts.with_batch(batch), .is_complex = false, .element_bytes = unit};
  };
  if (from.same_as(to)) return {"redistribution", {state(from)}, {}};
  return {"redistribution", {state(from), state(to)}, {ReshapeStep{}}};
}

}  // namespace shardfft
