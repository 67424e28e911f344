#include "algorithm/digit_view.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace shardfft {

namespace {

/// Part of a progression that is a box in (row, column): the position of its first index, and the positions between
/// neighbouring rows and columns.
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

/// The indices of a progression in one row; empty if there are none.
DigitBox whole_row(const Progression& p, std::int64_t columns, std::int64_t row) {
  const std::int64_t begin = row * columns;
  const std::int64_t index = begin + ((p.first - begin) % p.stride + p.stride) % p.stride;
  if (index >= begin + columns) return {};
  return row_box(p, columns, index, begin + columns - 1);
}

/// Adds rows `first` to `last`, in which the progression has every index that its stride allows. Their pattern repeats
/// after a period of rows, so that there is one box for each row of a period.
void add_whole_rows(std::vector<DigitBox>& boxes, const Progression& p, std::int64_t columns, std::int64_t first,
                    std::int64_t last) {
  const std::int64_t period = p.stride / std::gcd(p.stride, columns);
  for (std::int64_t row = first; row <= last && row - first < period; ++row) {
    DigitBox box = whole_row(p, columns, row);
    if (box.column.empty()) continue;
    if (const std::int64_t count = (last - row) / period + 1; count > 1) {
      box.row = {row, count, period};
      box.row_step = period * columns / p.stride;
    }
    boxes.push_back(box);
  }
}

/// At most the first and the last row, and a period of rows between them.
std::vector<DigitBox> digit_boxes(const Progression& p, std::int64_t columns) {
  if (p.empty()) return {};
  if (p.stride % columns == 0)
    return {{{p.first / columns, p.count, p.stride / columns}, {p.first % columns, 1, 1}, 0, 1, 0}};
  std::int64_t row = p.first / columns, last_row = p.last() / columns;
  std::vector<DigitBox> boxes;
  if (p.first - p.stride >= row * columns) {  // it begins within a row
    const std::int64_t left = std::min(p.last(), (row + 1) * columns - 1) - p.first;
    boxes.push_back(row_box(p, columns, p.first, p.first + left / p.stride * p.stride));
    ++row;
  }
  const bool ends_within = p.last() + p.stride < (last_row + 1) * columns;
  add_whole_rows(boxes, p, columns, row, ends_within ? last_row - 1 : last_row);
  if (ends_within && last_row >= row) {
    DigitBox box = whole_row(p, columns, last_row);
    box.column.count = p.position(p.last()) - box.position + 1;
    boxes.push_back(box);
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
