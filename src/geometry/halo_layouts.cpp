#include "geometry/halo_layouts.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

/// Neighbouring places along one axis of a padded array that hold neighbouring elements.
struct Segment {
  Progression indices;
  std::int64_t place = 0;
  bool own = false;
};

/// The rank's own run is one of them; the halos beside it are cut at the ends of the array.
std::vector<Segment> segments_of(const Progression& own, const HaloWidth& width, std::int64_t extent) {
  const std::int64_t begin = own.first - width.below, end = own.first + own.count + width.above;
  std::vector<Segment> segments;
  for (std::int64_t at = begin, next = at; at < end; at = next) {
    const std::int64_t index = ((at % extent) + extent) % extent;
    const bool mine = at == own.first;
    const std::int64_t run_end = mine ? own.first + own.count : at < own.first ? own.first : end;
    next = std::min(run_end, at + extent - index);
    if (width.periodic || (at >= 0 && at < extent)) segments.push_back({{index, next - at, 1}, at - begin, mine});
  }
  return segments;
}

struct Padding {
  Layout layout;
  std::vector<HaloWidth> widths;
  std::int64_t fields;
  Corners corners;

  /// The piece of a rank's padded array, with all fields, of one segment an axis.
  Piece piece(const Shape& extents, const std::vector<const Segment*>& segments) const;
  std::vector<Piece> pieces(int rank, bool owned) const;
};

Piece Padding::piece(const Shape& extents, const std::vector<const Segment*>& segments) const {
  Piece piece;
  piece.set.axes = layout.axes() + 1;
  std::int64_t stride = 1;
  for (auto axis = layout.order().rbegin(); axis != layout.order().rend(); ++axis) {
    const auto a = static_cast<std::size_t>(*axis);
    piece.set.axis[a + 1] = segments[a]->indices;
    piece.stride[a + 1] = stride;
    piece.offset += segments[a]->place * stride;
    stride *= extents[a];
  }
  piece.set.axis[0] = {0, fields, 1};
  piece.stride[0] = stride;
  return piece;
}

/// All products of the axes' segments; the rank's part is the product of its own ones.
std::vector<Piece> Padding::pieces(int rank, bool owned) const {
  const IndexSet set = layout.local(rank);
  if (set.empty()) return {};
  const auto axes = static_cast<std::size_t>(layout.axes());
  const Shape extents = padded_extents(layout, widths, rank);
  std::vector<std::vector<Segment>> segments;
  for (std::size_t a = 0; a < axes; ++a) segments.push_back(segments_of(set.axis[a], widths[a], layout.shape()[a]));
  std::vector<Piece> pieces;
  std::vector<std::size_t> at(axes, 0);
  for (std::size_t axis = axes; true; axis = axes) {
    std::vector<const Segment*> chosen;
    for (std::size_t a = 0; a < axes; ++a) chosen.push_back(&segments[a][at[a]]);
    const auto beside = std::count_if(chosen.begin(), chosen.end(), [](const Segment* s) { return !s->own; });
    if (owned ? beside == 0 : beside == 1 || (beside > 1 && corners == Corners::filled))
      pieces.push_back(piece(extents, chosen));
    while (axis > 0 && ++at[axis - 1] == segments[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return pieces;
  }
}

/// The piece with a last axis of one index.
Piece numbered(Piece piece, std::int64_t number) {
  piece.set.axis[static_cast<std::size_t>(piece.set.axes++)] = {number, 1, 1};
  return piece;
}

void check(const Layout& layout, const std::vector<HaloWidth>& widths) {
  require(static_cast<int>(widths.size()) == layout.axes(), widths.size(), " halo widths were given for ",
          layout.axes(), " axes");
  for (std::size_t a = 0; a < widths.size(); ++a) {
    const auto [below, above, periodic] = widths[a];
    constexpr std::int64_t most = std::int64_t{1} << 31;
    require(below >= 0 && above >= 0 && below < most && above < most, "the halo of axis ", a, " is ", below,
            " elements below and ", above, " above; widths are not negative, and below 2^31");
  }
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const IndexSet set = layout.local(rank);
    Shape extents = padded_extents(layout, widths, rank);
    if (!set.empty()) check_shape(extents);
    for (std::size_t a = 0; a < widths.size() && !set.empty(); ++a)
      require(set.axis[a].stride == 1 || set.axis[a].count == 1, "halos lie around boxes, but rank ", rank,
              " has indices of axis ", a, " with stride ", set.axis[a].stride);
  }
}

}  // namespace

Shape padded_extents(const Layout& layout, const std::vector<HaloWidth>& widths, int rank) {
  const IndexSet set = layout.local(rank);
  Shape extents(widths.size(), 0);
  for (std::size_t a = 0; a < widths.size() && !set.empty(); ++a)
    extents[a] = set.axis[a].count + widths[a].below + widths[a].above;
  return extents;
}

HaloLayouts make_halo_layouts(const Layout& layout, const std::vector<HaloWidth>& widths, std::int64_t fields,
                              Corners corners) {
  check(layout, widths);
  Shape shape = layout.shape();
  shape.insert(shape.begin(), fields);
  const Padding padding{layout, widths, fields, corners};
  const auto of = [&](bool owned) {
    return Layout::from_pieces(shape, layout.ranks(), [=](int rank) { return padding.pieces(rank, owned); });
  };
  return {of(true), of(false)};
}

HaloCopies make_halo_copies(const Layout& layout, const HaloLayouts& layouts) {
  using Lists = std::vector<std::vector<Piece>>;
  const auto ranks = static_cast<std::size_t>(layout.ranks()), axes = static_cast<std::size_t>(layout.axes());
  Lists halos(ranks), copies(ranks);
  std::vector<std::int64_t> counts(ranks);
  std::int64_t number = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const Piece& piece : layouts.halos.pieces(static_cast<int>(rank))) {
      halos[rank].push_back(numbered(piece, number));
      IndexSet points;
      points.axes = layout.axes();
      std::copy_n(piece.set.axis.begin() + 1, axes, points.axis.begin());
      layout.for_overlaps(points, [&](int owner, const IndexSet& common) {
        Piece copy{piece.set, counts[static_cast<std::size_t>(owner)], {}};
        std::copy_n(common.axis.begin(), axes, copy.set.axis.begin() + 1);
        std::int64_t stride = 1;
        for (std::size_t a = axes + 1; a-- > 0; stride *= copy.set.axis[a].count) copy.stride[a] = stride;
        counts[static_cast<std::size_t>(owner)] += stride;
        copies[static_cast<std::size_t>(owner)].push_back(numbered(copy, number));
      });
      ++number;
    }
  Shape shape = layouts.owned.shape();
  shape.push_back(std::max<std::int64_t>(number, 1));
  const auto of = [&](Lists lists) {
    return Layout::from_pieces(shape, layout.ranks(),
                               [all = std::make_shared<const Lists>(std::move(lists))](int rank) {
                                 return (*all)[static_cast<std::size_t>(rank)];
                               });
  };
  return {of(std::move(halos)), of(std::move(copies))};
}

std::vector<LocalCopy> copies_to_part(const HaloCopies& all, const HaloLayouts& layouts, int rank) {
  std::vector<LocalCopy> boxes;
  for (const Piece& copy : all.copies.pieces(rank)) {
    const std::int64_t number = copy.set.axis[static_cast<std::size_t>(copy.set.axes - 1)].first;
    boxes.push_back(copy_between(copy, numbered(layouts.owned.pieces(rank).front(), number), copy.set));
  }
  return boxes;
}

}  // namespace shardfft
