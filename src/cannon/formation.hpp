#pragma once
// The places of ranks while one axis is transformed in Cannon's manner: rings of ranks that pass data blocks on, and
// rows of ranks that pass matrix blocks on. Pure geometry.
#include "shardfft/types.hpp"

namespace shardfft {

/// The mesh of ranks as one product sees it. Data blocks travel along the `ring` of `ring_size()` ranks, one for each
/// part of the axis; matrix blocks travel along the `row` of `row_size()` ranks, another dimension of the mesh.
///
/// Plain (S3DFT algorithms 3 to 5): the ring is the axis's own mesh dimension, the row the next one (the one before for
/// the last axis). With global transpose (algorithms 6 and 7): the ranks change places so that every ring is the
/// fastest mesh dimension; a rank then computes the block of another rank, its `owner`.
class Formation {
 public:
  /// `mesh` has one extent an axis, axis 0 is the batch and never cut; rank = row-major index.
  Formation(const Shape& mesh, int axis, bool global_transpose);

  int ranks() const;
  int ring_size() const;
  int row_size() const;
  int ring_place(int rank) const;
  int row_place(int rank) const;
  /// The rank at another place of the same ring or row; places wrap around.
  int on_ring(int rank, std::int64_t place) const;
  int on_row(int rank, std::int64_t place) const;
  /// The rank whose part of the result `rank` computes, and the rank that computes the part of `rank`.
  int owner(int rank) const;
  int worker(int rank) const;
  /// The rank that keeps the matrix block (row_block, ring_place(rank)) for `rank`. On cubic meshes that is the paper's
  /// P(i, row_block, ring_place), the same block for all axes; else a rank of the same row.
  int matrix_home(int rank, int row_block) const;

 private:
  Shape places(int rank) const;
  int rank_at(const Shape& places) const;
  bool home_is_the_papers() const;

  Shape grid_;  ///< extents of the mesh, those of `axis_` and `ring_` exchanged
  int axis_;
  int ring_;
  int row_;  ///< 0, the batch, when the mesh has one dimension only
};

}  // namespace shardfft
