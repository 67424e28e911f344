// Layouts made from other layouts: another extent, order or batch.
#include <algorithm>

#include "base/check.hpp"
#include "geometry/layout_rep.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

/// A part of an axis at another extent: cut there, or grown if it reached the old end.
Progression resize(Progression p, std::int64_t old_extent, std::int64_t extent) {
  if (p.empty()) return p;
  check_stride(p);
  if (extent > old_extent && p.last() + p.stride >= old_extent) {
    p.count = (extent - 1 - p.first) / p.stride + 1;
    return p;
  }
  return intersect(p, Progression{0, extent, 1});
}

/// Parts of an axis of `extent`, cut the way `parts` cuts an axis of `old_extent`.
std::vector<Progression> recut(const std::vector<Progression>& parts, std::int64_t old_extent, std::int64_t extent) {
  const auto n = static_cast<std::int64_t>(parts.size());
  const auto made_by = [&](auto part) {
    for (std::int64_t i = 0; i < n; ++i) {
      const Progression p = part(old_extent, n, i);
      const Progression& q = parts[static_cast<std::size_t>(i)];
      if (!(p == q) && !(p.empty() && q.empty())) return false;
    }
    return true;
  };
  const bool block = made_by(block_part);
  const bool cyclic = !block && made_by(cyclic_part);
  std::vector<Progression> result;
  for (std::int64_t i = 0; i < n; ++i) {
    const Progression& part = parts[static_cast<std::size_t>(i)];
    result.push_back(block    ? block_part(extent, n, i)
                     : cyclic ? cyclic_part(extent, n, i)
                              : resize(part, old_extent, extent));
  }
  return result;
}

/// Runs that grow still tile the axis; the user's sets with strides may not.
void check_growth(const Layout& layout, int axis) {
  const auto strided = [](const Progression& p) { return p.stride > 1; };
  bool any = false;
  if (layout.is_grid())
    any = std::any_of(layout.parts(axis).begin(), layout.parts(axis).end(), strided);
  else
    for (int r = 0; r < layout.ranks(); ++r) any = any || strided(layout.local(r).axis[static_cast<std::size_t>(axis)]);
  if (!any) return;
  try {
    layout.validate();
  } catch (const Error& e) {
    fail(e.code(), "the cuts of axis ", axis, " cannot be continued to an extent of ",
         layout.shape()[static_cast<std::size_t>(axis)], ", give the layout itself: ", e.what());
  }
}

}  // namespace

Layout Layout::with_axis_extent(int axis, std::int64_t extent) const {
  check_axis(axis);
  require(extent >= 1, "axis ", axis, " cannot have extent ", extent, "; extents are at least 1");
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t old_extent = shape()[a];
  if (extent == old_extent) return *this;
  auto rep = std::make_shared<Rep>(*rep_);
  rep->shape[a] = extent;
  check_shape(rep->shape);
  if (rep->form == Rep::Form::grid) {
    rep->parts[a] = recut(rep->parts[a], old_extent, extent);
  } else if (rep->form == Rep::Form::boxes) {
    for (IndexSet& set : rep->sets) set.axis[a] = resize(set.axis[a], old_extent, extent);
  } else {
    fail(Status::unsupported, "a layout of pieces has no cuts to continue to another extent, give the layout itself");
  }
  const Layout resized(rep);
  if (extent > old_extent) check_growth(resized, axis);
  return resized;
}

Layout Layout::with_order(const AxisOrder& order) const {
  auto changed = std::make_shared<Rep>(rep());
  changed->order = checked_order(order, shape().size());
  return Layout(changed);
}

Layout Layout::with_batch(std::int64_t fields) const {
  require(fields >= 1, "a batch needs at least 1 field, got ", fields);
  auto rep = std::make_shared<Rep>(this->rep());
  rep->shape.insert(rep->shape.begin(), fields);
  check_shape(rep->shape);
  for (int& a : rep->order) ++a;
  rep->order.insert(rep->order.begin(), 0);
  const Progression all{0, fields, 1};
  if (rep->form == Rep::Form::grid) {
    rep->parts.insert(rep->parts.begin(), {all});
    rep->rank_stride.insert(rep->rank_stride.begin(), 1);
  }
  const auto prepend = [all](IndexSet& set) {
    std::copy_backward(set.axis.begin(), set.axis.begin() + set.axes, set.axis.begin() + set.axes + 1);
    set.axis[0] = all;
    ++set.axes;
  };
  for (IndexSet& set : rep->sets) prepend(set);
  if (rep->form == Rep::Form::pieces)
    rep->make_pieces = [one = *this, prepend](int rank) {
      std::vector<Piece> pieces = one.pieces(rank);
      const std::int64_t field = one.count(rank);
      for (Piece& p : pieces) {
        std::copy_backward(p.stride.begin(), p.stride.begin() + p.set.axes, p.stride.begin() + p.set.axes + 1);
        p.stride[0] = field;
        prepend(p.set);
      }
      return pieces;
    };
  return Layout(rep);
}

Layout Layout::without_batch() const {
  require(axes() > 1, "a layout of one axis has no other beside the fields");
  auto rep = std::make_shared<Rep>(*rep_);
  rep->shape.erase(rep->shape.begin());
  rep->order.erase(std::find(rep->order.begin(), rep->order.end(), 0));
  for (int& a : rep->order) --a;
  if (rep->form == Rep::Form::grid) {
    rep->parts.erase(rep->parts.begin());
    rep->rank_stride.erase(rep->rank_stride.begin());
  }
  const auto drop_first = [](IndexSet& set) {
    std::copy(set.axis.begin() + 1, set.axis.begin() + set.axes, set.axis.begin());
    --set.axes;
  };
  for (IndexSet& set : rep->sets) drop_first(set);
  if (rep->form == Rep::Form::pieces)
    rep->make_pieces = [all = *this, drop_first](int rank) {
      std::vector<Piece> pieces = all.pieces(rank);
      for (Piece& p : pieces) {
        std::copy(p.stride.begin() + 1, p.stride.begin() + p.set.axes, p.stride.begin());
        drop_first(p.set);
      }
      return pieces;
    };
  return Layout(rep);
}

}  // namespace shardfft
