#pragma once
// The data of a Layout, in one of three forms. Private to geometry.
#include "shardfft/layout.hpp"

namespace shardfft {

struct Layout::Rep {
  enum class Form { grid, boxes, pieces };

  Form form = Form::grid;
  Shape shape;
  int ranks = 0;
  AxisOrder order;
  std::vector<std::vector<Progression>> parts;         ///< grid: per axis and grid coordinate
  std::vector<int> rank_stride;                        ///< grid: rank = sum of coordinate * stride
  std::vector<IndexSet> sets;                          ///< boxes: per rank
  std::function<std::vector<Piece>(int)> make_pieces;  ///< pieces: any rank, on demand
  std::int64_t row_unit = 1;                           ///< grid: rows of the fastest axis fill a multiple of it

  static const Rep& of(const Layout& layout) { return layout.rep(); }
  static Layout layout(std::shared_ptr<const Rep> rep) { return Layout(std::move(rep)); }
};

/// 0, 1, 2, ...
AxisOrder natural_order(std::size_t axes);
/// `order`, or the natural order if it is empty. Throws Error unless `order` names each axis once.
AxisOrder checked_order(const AxisOrder& order, std::size_t axes);
/// More than any machine has. Layouts keep data for each rank.
inline constexpr int max_ranks = 1 << 22;
/// Throws Error unless a layout can have `ranks` ranks.
void check_ranks(std::int64_t ranks);

}  // namespace shardfft
