#pragma once
// Halo exchanges of any layout and widths, and the arrays that they should leave.
#include <gtest/gtest.h>

#include "shardfft/for_each.hpp"
#include "shardfft/halo.hpp"
#include "support/random_layouts.hpp"
#include "support/world.hpp"

namespace shardfft::test {

inline constexpr double untouched = -7;

struct HaloCase {
  Layout layout;
  std::vector<HaloWidth> widths;
  std::int64_t fields = 1;
  Corners corners = Corners::filled;
};

/// The number of an element of the whole array, or `untouched` outside it.
inline double whole_value(const HaloCase& c, std::int64_t field, const shardfft::Index& place) {
  std::int64_t number = field;
  for (std::size_t a = 0; a < c.widths.size(); ++a) {
    const std::int64_t n = c.layout.shape()[a];
    if (!c.widths[a].periodic && (place[a] < 0 || place[a] >= n)) return untouched;
    number = number * n + ((place[a] % n) + n) % n;
  }
  return static_cast<double>(number + 1);
}

/// The padded array of a member, cut from the whole one; with `own_only` before its halos are filled.
inline std::vector<double> padded(const HaloCase& c, const HaloExchange& halo, bool own_only, int member = 0) {
  std::vector<double> array(static_cast<std::size_t>(halo.count(member)), untouched);
  const Piece own = halo.owned(member);
  if (own.set.empty()) return array;
  const Shape extents = halo.extents(member);
  Piece all = own;
  all.offset = 0;
  for (std::size_t a = 0; a < extents.size(); ++a) all.set.axis[a] = {0, extents[a], 1};
  const std::int64_t one_field = halo.count(member) / c.fields;
  const auto visit = [&](std::int64_t field) {
    return [&, field](const shardfft::Index& at, double& value) {
      shardfft::Index place{};
      int beside = 0;
      for (std::size_t a = 0; a < extents.size(); ++a) {
        const Progression& mine = own.set.axis[a];
        place[a] = at[a] - c.widths[a].below + mine.first;
        if (!mine.contains(place[a])) ++beside;
      }
      if (own_only ? beside == 0 : beside <= 1 || c.corners == Corners::filled) value = whole_value(c, field, place);
    };
  };
  for (std::int64_t f = 0; f < c.fields; ++f) {
    auto of_field = visit(f);
    shardfft::detail::visit_piece(all, array.data() + f * one_field, of_field);
  }
  return array;
}

/// A layout of which each rank has a box.
inline Layout random_boxes(Random& random, const Shape& shape, int ranks) {
  while (true) {
    const Layout layout = random_layout(random, shape, ranks);
    bool boxes = true;
    for (int r = 0; r < ranks; ++r)
      for (const Piece& piece : layout.pieces(r))
        for (std::size_t a = 0; a < shape.size(); ++a)
          boxes = boxes && (piece.set.axis[a].stride == 1 || piece.set.axis[a].count == 1);
    if (boxes) return layout;
  }
}

inline HaloCase random_case(Random& random, int ranks) {
  HaloCase c;
  Shape shape;
  for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 7));
  c.layout = random_boxes(random, shape, ranks);
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const std::int64_t most = random.integer(0, 5) == 0 ? 9 : 2;
    c.widths.push_back({random.integer(0, most), random.integer(0, most), random.coin()});
  }
  c.fields = random.integer(1, 3);
  c.corners = random.integer(0, 3) == 0 ? Corners::left_out : Corners::filled;
  return c;
}

}  // namespace shardfft::test
