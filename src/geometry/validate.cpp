// Checks that a layout tiles its array; text and a number that identify a layout.
#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/text.hpp"
#include "geometry/gaps.hpp"
#include "geometry/layout_rep.hpp"
#include "geometry/shape.hpp"

namespace shardfft {

namespace {

std::string last_of(const Progression& p) {
  std::int64_t last = 0;
  const bool wraps =
      __builtin_mul_overflow(p.count - 1, p.stride, &last) || __builtin_add_overflow(last, p.first, &last);
  return wraps ? "more than 64 bits hold" : std::to_string(last);
}

void check_within(const Progression& p, std::int64_t extent, std::size_t axis, const std::string& whose) {
  if (p.empty()) return;
  require(p.count > 0 && p.stride >= 1, whose, ": axis ", axis, " has count ", p.count, " and stride ", p.stride,
          "; counts are not negative and strides positive");
  require(p.first >= 0 && p.first < extent && p.count - 1 <= (extent - 1 - p.first) / p.stride, whose, ": axis ", axis,
          " covers indices ", p.first, " to ", last_of(p), ", outside 0 to ", extent - 1);
}

void check_parts(const std::vector<Progression>& parts, std::int64_t extent, std::size_t axis) {
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_within(parts[i], extent, axis, "part " + std::to_string(i));
    covered += parts[i].count;
    // Parts that this library makes are disjoint by construction; parts of users are few.
    for (std::size_t j = 0; j < i; ++j)
      require(intersect(parts[i], parts[j]).empty(), "parts ", j, " and ", i, " of axis ", axis, " overlap");
  }
  require(covered == extent, "the parts of axis ", axis, " cover ", covered, " of ", extent, " indices");
}

std::string index_text(const IndexSet& set) {
  Text text;
  text << "(";
  for (int a = 0; a < set.axes; ++a) text << (a > 0 ? ", " : "") << set.axis[static_cast<std::size_t>(a)].first;
  text << ")";
  return text.str();
}

/// Sweeps along axis 0, to compare only index sets that meet there.
void check_disjoint(const std::vector<std::pair<int, IndexSet>>& sets) {
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t j = i + 1; j < sets.size(); ++j) {
      if (sets[j].second.axis[0].first > sets[i].second.axis[0].last()) break;
      const IndexSet common = intersect(sets[i].second, sets[j].second);
      require(common.empty(), "boxes overlap: ranks ", sets[i].first, " and ", sets[j].first, " both own index ",
              index_text(common));
    }
}

/// If strides are wrong, places may need more than 64 bits.
__extension__ using Wide = __int128;

/// The first and the last place of a piece in memory; `apart` if its strides show that no two elements share a place.
struct Extent {
  std::int64_t begin, last;
  bool apart;
};

Extent extent_of(const Piece& piece, std::int64_t count, const std::string& whose) {
  std::vector<std::pair<std::int64_t, std::int64_t>> loops;  // stride, steps
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a)
    if (piece.set.axis[a].count > 1) loops.emplace_back(piece.stride[a], piece.set.axis[a].count - 1);
  std::sort(loops.begin(), loops.end());
  Wide steps = 0;
  bool apart = true;
  for (const auto& [stride, n] : loops) {
    require(stride > 0, whose, ": a piece has the stride ", stride, " in memory; strides are positive");
    apart = apart && stride > steps;
    steps += Wide{stride} * n;
  }
  require(piece.offset >= 0 && piece.offset + steps < count, whose, ": a piece from place ", piece.offset,
          " on does not lie in the rank's array, which is dense: ", count, " elements");
  return {piece.offset, static_cast<std::int64_t>(piece.offset + steps), apart};
}

/// Checks each element, for pieces that interleave in memory.
void check_places(const std::vector<Piece>& pieces, std::int64_t count, const std::string& whose) {
  std::vector<bool> taken(static_cast<std::size_t>(count));
  for (const Piece& piece : pieces)
    for (std::int64_t i = 0; i < piece.set.count(); ++i) {
      std::int64_t place = piece.offset, rest = i;
      for (auto a = static_cast<std::size_t>(piece.set.axes); a-- > 0;) {
        place += rest % piece.set.axis[a].count * piece.stride[a];
        rest /= piece.set.axis[a].count;
      }
      require(!taken[static_cast<std::size_t>(place)], whose, ": two elements lie at place ", place, " of its array");
      taken[static_cast<std::size_t>(place)] = true;
    }
}

/// Checks that a rank's elements lie in its array, and no two at one place.
void check_memory(std::vector<Piece> pieces, const std::string& whose) {
  std::erase_if(pieces, [](const Piece& p) { return p.set.empty(); });
  const std::int64_t count = elements_of(pieces);
  std::vector<Extent> extents;
  for (const Piece& p : pieces) extents.push_back(extent_of(p, count, whose));
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  bool apart = true;
  for (std::size_t i = 0; i < extents.size(); ++i)
    apart = apart && extents[i].apart && (i == 0 || extents[i].begin > extents[i - 1].last);
  if (!apart) check_places(pieces, count, whose);
}

std::uint64_t mix(std::uint64_t hash, std::int64_t value) {
  hash ^= static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

}  // namespace

void Layout::validate() const {
  if (is_grid()) {
    for (std::size_t a = 0; a < shape().size(); ++a) check_parts(rep_->parts[a], shape()[a], a);
    return;
  }
  std::vector<std::pair<int, IndexSet>> sets;
  std::int64_t covered = 0;
  for (int r = 0; r < ranks(); ++r)
    for (const Piece& p : pieces(r)) {
      for (std::size_t a = 0; a < shape().size(); ++a)
        check_within(p.set.axis[a], shape()[a], a, "rank " + std::to_string(r));
      covered += p.set.count();
      sets.emplace_back(r, p.set);
    }
  std::sort(sets.begin(), sets.end(),
            [](const auto& a, const auto& b) { return a.second.axis[0].first < b.second.axis[0].first; });
  check_disjoint(sets);
  const std::int64_t total = std::accumulate(shape().begin(), shape().end(), std::int64_t{1}, std::multiplies<>());
  require(covered == total, "the boxes leave ", total - covered, " of ", total, " elements of the ",
          shape_text(shape()), " array without an owner");
  for (int r = 0; r < ranks() && rep_->form == Rep::Form::pieces; ++r)
    check_memory(pieces(r), "rank " + std::to_string(r));
}

std::uint64_t Layout::fingerprint() const {
  std::uint64_t hash = mix(0, ranks());
  for (const std::int64_t n : shape()) hash = mix(hash, n);
  for (const int a : order()) hash = mix(hash, a);
  const auto add = [&hash](const Progression& p) {
    for (const std::int64_t v : {p.first, p.count, p.stride}) hash = mix(hash, v);
  };
  if (is_grid()) {
    for (const int s : rep_->rank_stride) hash = mix(hash, s);
    hash = mix(hash, rep_->row_unit);
    for (const auto& parts : rep_->parts) std::for_each(parts.begin(), parts.end(), add);
    return hash;
  }
  for (int r = 0; r < ranks(); ++r)
    for (const Piece& p : pieces(r)) {
      hash = mix(mix(hash, r), p.offset);
      for (std::size_t a = 0; a < static_cast<std::size_t>(p.set.axes); ++a) hash = mix(hash, p.stride[a]);
      std::for_each(p.set.axis.begin(), p.set.axis.begin() + p.set.axes, add);
    }
  return hash;
}

std::string Layout::describe() const {
  if (!rep_) return "empty layout";
  Text text;
  text << shape_text(shape());
  if (is_grid()) {
    text << " cut in ";
    Shape cuts;
    bool cyclic = false;
    for (const auto& parts : rep_->parts) {
      cuts.push_back(static_cast<std::int64_t>(parts.size()));
      for (const auto& p : parts) cyclic = cyclic || p.stride > 1;
    }
    text << shape_text(cuts) << (cyclic ? " (cyclic)" : "");
  } else {
    text << (rep_->form == Rep::Form::boxes ? " in boxes of " : " in pieces of ") << ranks() << " ranks";
  }
  if (order() != natural_order(order().size())) {
    text << ", memory order";
    for (const int a : order()) text << " " << a;
  }
  return text.str();
}

}  // namespace shardfft
