#pragma once
// The local update of a round: a data block times a matrix block, added to the result, slice by slice.
#include <cstddef>
#include <cstdint>

#include "shardfft/types.hpp"

namespace shardfft {

/// Y[o, k, i] += scale * sum over s of C[s, k] X[o, s, i]: the axis is between `outer` slower and `inner` faster
/// elements. With inner == 1 a slice is a run of rows of Y += X C (S3DFT algorithm 1), else Y[o] += C^T X[o] (algorithm
/// 2), or some of its columns if there are few o. The paper transposes the blocks of the slowest axis around their
/// product to make it contiguous; C^T X is contiguous without that, with the block as a wide matrix.
struct UpdateShape {
  Precision precision = Precision::f64;
  std::int64_t outer = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;  ///< of the matrix: extent of the axis in Y
  double scale = 1;
};

class LocalUpdate {
 public:
  LocalUpdate() = default;
  /// Throws Error(unsupported) without a BLAS, and for blocks whose rows an int cannot count.
  explicit LocalUpdate(const UpdateShape& shape);
  /// Slices do not depend on the data block, so that a thread with the same slices touches the same part of Y.
  std::int64_t slices() const { return slices_; }
  /// Slices first to last - 1. X has `rows` elements along the axis; `overwrite` ignores the old content of Y.
  void run(std::int64_t first, std::int64_t last, const std::byte* x, std::int64_t rows, const std::byte* matrix,
           std::byte* y, bool overwrite) const;

 private:
  void run_rows(std::int64_t slice, const std::byte* x, std::int64_t rows, const std::byte* matrix, std::byte* y,
                bool overwrite) const;
  void run_columns(std::int64_t slice, const std::byte* x, std::int64_t rows, const std::byte* matrix, std::byte* y,
                   bool overwrite) const;

  UpdateShape shape_;
  std::int64_t element_ = 16;  ///< bytes
  std::int64_t slices_ = 0;
  std::int64_t width_ = 1;  ///< rows or columns of a slice
  std::int64_t tiles_ = 1;  ///< slices of one o
};

}  // namespace shardfft
