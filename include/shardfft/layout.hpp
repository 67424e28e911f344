#pragma once
// The places of data: index sets and layouts. Pure geometry, no MPI.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// Users' arrays have 1 to 4 axes; internally axes may be split in two (cyclic, six-step) and a batch axis is added.
inline constexpr int max_user_axes = 4;
inline constexpr int max_axes = 10;

/// The indices first, first + stride, ..., `count` of them, along one axis.
struct Progression {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;

  bool empty() const { return count == 0; }                             ///< Whether it has no indices.
  std::int64_t at(std::int64_t i) const { return first + i * stride; }  ///< The index at position i, from 0.
  std::int64_t last() const { return first + (count - 1) * stride; }    ///< The largest; it must not be empty.
  bool contains(std::int64_t index) const;                              ///< Whether `index` is one of them.
  /// Position of `index` in the progression, which must contain it.
  std::int64_t position(std::int64_t index) const { return (index - first) / stride; }
  bool operator==(const Progression&) const = default;
};

/// The common indices of two progressions (a progression again, by the Chinese remainder theorem).
Progression intersect(const Progression& a, const Progression& b);

/// A product of progressions, one an axis: a box when all strides are 1, a cyclic set otherwise.
struct IndexSet {
  int axes = 0;
  std::array<Progression, max_axes> axis{};

  std::int64_t count() const;                                            ///< The product of the axes' counts.
  bool empty() const { return count() == 0; }                            ///< Whether an axis has no indices.
  bool contains(const std::array<std::int64_t, max_axes>& index) const;  ///< Whether each axis has its index.
  bool operator==(const IndexSet& other) const;
};

IndexSet intersect(const IndexSet& a, const IndexSet& b);  ///< The common indices; both have the same axes.
/// The box of indices low[a] <= i < high[a].
IndexSet box(const Shape& low, const Shape& high);

/// An index set and its place in its owner's local array, in elements.
struct Piece {
  IndexSet set;
  std::int64_t offset = 0;
  std::array<std::int64_t, max_axes> stride{};

  bool operator==(const Piece& other) const;
};

/// Axes from slowest to fastest in memory; empty means natural (0, 1, 2, ...).
using AxisOrder = std::vector<int>;

/// A map from rank to the index set it owns, and the axis order of its local array. Local arrays are dense, except for
/// gaps (see from_pieces). A layout made by `Layout()` is empty: it has no axes and no ranks, and all other functions
/// except describe() throw Error for it; other layouts have 1 to 2^22 ranks. Functions throw Error for ranks and axes
/// that a layout does not have.
class Layout {
 public:
  Layout() = default;

  /// Planes along `axis`, dealt in near-equal runs; ranks beyond the planes own nothing.
  static Layout slab(const Shape& shape, int ranks, int axis = 0, const AxisOrder& order = {});
  /// Lines along `local_axis` (-1: the last axis, -2: the one before it, ...); the other axes are cut by `grid`, in
  /// axis order (grid has one entry less than shape).
  static Layout pencil(const Shape& shape, const Shape& grid, int local_axis = -1, const AxisOrder& order = {});
  /// The same with `ranks` as a grid that is as square as can be, the larger factors first.
  static Layout pencil(const Shape& shape, int ranks, int local_axis = -1, const AxisOrder& order = {});
  /// Bricks: axis a is cut in grid[a] near-equal runs; rank = row-major index in the grid.
  static Layout brick(const Shape& shape, const Shape& grid, const AxisOrder& order = {});
  /// The same with `ranks` as a grid that is as near to a cube as can be, the larger factors first.
  static Layout brick(const Shape& shape, int ranks, const AxisOrder& order = {});
  /// Cyclic: along axis a, grid coordinate c owns the indices c, c + grid[a], c + 2 grid[a], ...
  static Layout cyclic(const Shape& shape, const Shape& grid, const AxisOrder& order = {});
  /// The same with axis 0 dealt to `ranks`.
  static Layout cyclic(const Shape& shape, int ranks, const AxisOrder& order = {});
  /// Explicit parts per axis; rank = sum of coordinate[a] * rank_stride[a] (empty: row-major).
  /// Ranks at or beyond the product of part counts own nothing.
  static Layout grid(const Shape& shape, std::vector<std::vector<Progression>> parts, int ranks,
                     const std::vector<int>& rank_stride = {}, const AxisOrder& order = {});
  /// One index set for each rank, sets[r] for rank r; it may be empty. `validate()` checks that they tile the array.
  static Layout boxes(const Shape& shape, std::vector<IndexSet> sets, const AxisOrder& order = {});
  /// Everything on rank `owner`.
  static Layout single(const Shape& shape, int ranks, int owner = 0, const AxisOrder& order = {});
  /// Any pieces, computed on demand. On CPUs rows of the real side of a real transform may have gaps between them, as
  /// FFTW pads them.
  static Layout from_pieces(const Shape& shape, int ranks, std::function<std::vector<Piece>(int)> pieces);

  int axes() const;            ///< The number of axes, that of a batch included.
  const Shape& shape() const;  ///< The extents of the whole array, an entry an axis.
  int ranks() const;           ///< The number of ranks; some of them may own nothing.
  /// Axes from slowest to fastest in memory.
  const AxisOrder& order() const;
  bool is_grid() const;
  /// Parts of one axis (grid layouts only).
  const std::vector<Progression>& parts(int axis) const;
  const std::vector<int>& rank_stride() const;

  /// Elements of the local array of rank `rank`: those that it owns, and the gaps between them.
  std::int64_t count(int rank) const;
  std::int64_t max_count() const;
  /// The index set of a rank; throws Error for layouts of several pieces a rank.
  IndexSet local(int rank) const;
  std::vector<Piece> pieces(int rank) const;
  /// True if every rank that owns anything owns all of `axis`.
  bool axis_is_local(int axis) const;
  /// Calls `visit(rank, common indices)` for every rank whose set meets `set`;
  /// for grid layouts without touching the ranks that do not.
  void for_overlaps(const IndexSet& set, const std::function<void(int, const IndexSet&)>& visit) const;
  /// True if both place every element at the same rank and address.
  bool same_as(const Layout& other) const;
  /// The same cuts over another extent of one axis (spectra of real transforms); grid and boxes layouts.
  Layout with_axis_extent(int axis, std::int64_t extent) const;
  /// The same cuts with another axis order in memory.
  Layout with_order(const AxisOrder& order) const;
  /// A layout with a new slowest axis of `fields` before the others; every rank holds all fields of its indices.
  Layout with_batch(std::int64_t fields) const;
  /// The layout without the axis that with_batch() added.
  Layout without_batch() const;
  /// Throws Error unless the sets tile the array exactly once, and each rank's pieces its local array.
  void validate() const;
  /// A number that differs, with near certainty, between different layouts; equal on all ranks for equal ones.
  std::uint64_t fingerprint() const;
  /// For people: "slab 197x233x189, axis 0 in 4".
  std::string describe() const;

  struct Rep;

 private:
  explicit Layout(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep& rep() const;
  void check_rank(int rank) const;
  void check_axis(int axis) const;
  std::shared_ptr<const Rep> rep_;
};

/// Part `index` of `parts` near-equal runs of 0 .. extent-1; the first extent % parts runs have one index more. Throws
/// Error unless 0 <= index < parts.
Progression block_part(std::int64_t extent, std::int64_t parts, std::int64_t index);
/// Indices index, index + parts, ... below extent.
Progression cyclic_part(std::int64_t extent, std::int64_t parts, std::int64_t index);

}  // namespace shardfft
