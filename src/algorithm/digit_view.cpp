#include "algorithm/digit_view.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace shardfft {

namespace {

/// Part of a progression that is a box in (row, column), and where it lies: position of its first index, and
/// positions between neighbouring rows and columns.
struct DigitBox {
  Progression row;
  Progression column;
  std::int64_t position = 0;
  std::int64_t row_step = 0;
  std::int64_t column_step = 0;
};

/// Indices first..last (both in p) of one row.
DigitBox row_box(const Progression& p, std::int64_t columns, std::int64_t first, std::int64_t last) {
  const std::int64_t row = first / columns;
  const Progression column{first % columns, (last - first) / p.stride + 1, p.stride};
  return {{row, 1, 1}, column, p.position(first), 0, 1};
}

/// A progression whose stride divides the row length looks the same in every row: at most three boxes.
std::vector<DigitBox> aligned_boxes(const Progression& p, std::int64_t columns) {
  std::vector<DigitBox> boxes;
  const std::int64_t per_row = columns / p.stride;
  std::int64_t index = p.first;
  const std::int64_t offset = p.first % p.stride;
  if (index % columns != offset) {
    const std::int64_t last = std::min(p.last(), index / columns * columns + offset + (per_row - 1) * p.stride);
    boxes.push_back(row_box(p, columns, index, last));
    index = last + p.stride;
  }
  const std::int64_t left = index > p.last() ? 0 : (p.last() - index) / p.stride + 1;
  const std::int64_t rows = left / per_row;
  if (rows > 0) {
    boxes.push_back({{index / columns, rows, 1}, {offset, per_row, p.stride}, p.position(index), per_row, 1});
    index += rows * columns;
  }
  if (left % per_row > 0) boxes.push_back(row_box(p, columns, index, p.last()));
  return boxes;
}

std::vector<DigitBox> digit_boxes(const Progression& p, std::int64_t columns) {
  if (p.empty()) return {};
  if (columns % p.stride == 0) return aligned_boxes(p, columns);
  if (p.stride % columns == 0)
    return {{{p.first / columns, p.count, p.stride / columns}, {p.first % columns, 1, 1}, 0, 1, 0}};
  std::vector<DigitBox> boxes;
  for (std::int64_t index = p.first; index <= p.last();) {
    const std::int64_t row_end = (index / columns + 1) * columns - 1;
    const std::int64_t last = std::min(p.last(), index + (row_end - index) / p.stride * p.stride);
    boxes.push_back(row_box(p, columns, index, last));
    index = last + p.stride;
  }
  return boxes;
}

void append_axis(Piece& piece, const Progression& p, std::int64_t stride) {
  const auto a = static_cast<std::size_t>(piece.set.axes++);
  if (a >= max_axes) fail(Status::unsupported, "more than ", max_axes, " axes after splitting");
  piece.set.axis[a] = p;
  piece.stride[a] = stride;
}

/// Appends axis `axis` of `piece` to each of `views`, split into its boxes.
std::vector<Piece> extend(const std::vector<Piece>& views, const Piece& piece, std::size_t axis,
                          const DigitSplit& split, bool column_first) {
  std::vector<Piece> extended;
  const std::int64_t stride = piece.stride[axis];
  for (const Piece& view : views) {
    if (split.rows == 0) {
      extended.push_back(view);
      append_axis(extended.back(), piece.set.axis[axis], stride);
      continue;
    }
    for (const DigitBox& b : digit_boxes(piece.set.axis[axis], split.columns)) {
      Piece next = view;
      next.offset += b.position * stride;
      if (column_first) append_axis(next, b.column, b.column_step * stride);
      append_axis(next, b.row, b.row_step * stride);
      if (!column_first) append_axis(next, b.column, b.column_step * stride);
      extended.push_back(next);
    }
  }
  return extended;
}

}  // namespace

Layout digit_view(const Layout& layout, const std::vector<DigitSplit>& splits, bool column_first) {
  Shape shape;
  for (std::size_t a = 0; a < splits.size(); ++a) {
    if (splits[a].rows == 0) {
      shape.push_back(layout.shape()[a]);
    } else {
      shape.push_back(column_first ? splits[a].columns : splits[a].rows);
      shape.push_back(column_first ? splits[a].rows : splits[a].columns);
    }
  }
  return Layout::from_pieces(shape, layout.ranks(), [layout, splits, column_first](int rank) {
    std::vector<Piece> result;
    for (const Piece& piece : layout.pieces(rank)) {
      Piece start;
      start.offset = piece.offset;
      std::vector<Piece> views{start};
      for (std::size_t a = 0; a < splits.size(); ++a) views = extend(views, piece, a, splits[a], column_first);
      result.insert(result.end(), views.begin(), views.end());
    }
    return result;
  });
}

}  // namespace shardfft
