#pragma once
// A visit to every element of a rank's array in any layout.
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "shardfft/error.hpp"
#include "shardfft/side.hpp"

namespace shardfft {

/// The position of an element in the global array: one entry an axis, 0 beyond the last one.
using Index = std::array<std::int64_t, max_user_axes>;

namespace detail {

/// Axes of a piece from slowest to fastest in memory.
struct PieceLoops {
  std::array<int, max_user_axes> axis{};
  int axes = 0;
};
PieceLoops piece_loops(const Piece& piece);
[[noreturn]] void fail_short(std::int64_t has, std::int64_t expected);

/// The innermost loop; the axis is a constant, so that the index can stay in registers.
template <int Axis, class T, class Visit>
void visit_line(const Progression& line, std::int64_t step, Index index, T* data, Visit& visit) {
  for (std::int64_t i = 0; i < line.count; ++i, data += step) {
    index[Axis] = line.at(i);
    visit(std::as_const(index), *data);
  }
}

template <class T, class Visit>
void visit_line(int axis, const Progression& line, std::int64_t step, const Index& index, T* data, Visit& visit) {
  static_assert(max_user_axes == 4);
  switch (axis) {
    case 0:
      return visit_line<0>(line, step, index, data, visit);
    case 1:
      return visit_line<1>(line, step, index, data, visit);
    case 2:
      return visit_line<2>(line, step, index, data, visit);
    default:
      return visit_line<3>(line, step, index, data, visit);
  }
}

/// `data` is the first element of the piece.
template <class T, class Visit>
void visit_piece(const Piece& piece, T* data, Visit& visit) {
  const PieceLoops loops = piece_loops(piece);
  const auto axis_of = [&](int level) { return static_cast<std::size_t>(loops.axis[static_cast<std::size_t>(level)]); };
  const int inner = loops.axes - 1;
  const std::size_t fast = axis_of(inner);
  std::array<std::int64_t, max_user_axes> at{};
  Index index{};
  for (std::size_t a = 0; a < static_cast<std::size_t>(loops.axes); ++a) index[a] = piece.set.axis[a].first;
  while (true) {
    visit_line(static_cast<int>(fast), piece.set.axis[fast], piece.stride[fast], index, data, visit);
    int level = inner - 1;
    for (; level >= 0; --level) {
      const std::size_t a = axis_of(level);
      const Progression& line = piece.set.axis[a];
      data += piece.stride[a];
      if (++at[a] < line.count) {
        index[a] = line.at(at[a]);
        break;
      }
      data -= line.count * piece.stride[a];
      at[a] = 0;
      index[a] = line.first;
    }
    if (level < 0) return;
  }
}

}  // namespace detail

/// Calls `visit(index, value)` or `visit(field, index, value)` for every element of this rank's array, in the order of
/// memory: `index` is the global one (an Index), `value` a reference into `data`, `field` a number from 0 to
/// side.fields - 1. `data` is host memory of side.count() elements of any type, so that factors of a spectrum can have
/// an array of their own in the same layout.
template <class T, class Visit>
void for_each(const Side& side, T* data, Visit&& visit) {
  const std::int64_t count = side.layout.count(side.rank);
  for (const Piece& piece : side.layout.pieces(side.rank)) {
    if (piece.set.empty()) continue;
    for (std::int64_t field = 0; field < side.fields; ++field) {
      T* const first = data + field * count + piece.offset;
      if constexpr (std::is_invocable_v<Visit&, std::int64_t, const Index&, T&>) {
        const auto of_field = [&](const Index& index, T& value) { visit(field, index, value); };
        detail::visit_piece(piece, first, of_field);
      } else {
        detail::visit_piece(piece, first, visit);
      }
    }
  }
}

/// The same for vectors, spans and other contiguous ranges; throws Error if it has fewer than side.count() elements.
template <class Range, class Visit>
requires(!std::is_array_v<std::remove_reference_t<Range>> &&
         requires(Range & range) { std::span(range); }) void for_each(const Side& side, Range&& data, Visit&& visit) {
  const std::span elements(data);
  const auto has = static_cast<std::int64_t>(elements.size());
  if (has < side.count()) detail::fail_short(has, side.count());
  for_each(side, elements.data(), visit);
}

}  // namespace shardfft
