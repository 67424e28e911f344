#include "cannon/local_update.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "local/gemm.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// At most as wide as BLAS can count.
std::int64_t slice_width(std::int64_t extent, std::int64_t slices) {
  const std::int64_t width = std::max(ceil_div(extent, slices), std::min(extent, host_defaults().least_product_width));
  return std::min<std::int64_t>(width, std::numeric_limits<int>::max());
}

}  // namespace

LocalUpdate::LocalUpdate(const UpdateShape& shape)
    : shape_(shape), element_(static_cast<std::int64_t>(ElementType{shape.precision, true}.bytes())) {
  if (!gemm_available())
    fail(Status::unsupported, "algorithm cannon needs matrix products, and shardfft was built without a BLAS: install ",
         "OpenBLAS (Debian and Ubuntu: libopenblas-dev) and build again");
  if (shape.outer == 0 || shape.inner == 0 || shape.columns == 0) return;
  for (const std::int64_t extent : {shape.inner, shape.columns})
    if (extent > std::numeric_limits<int>::max())
      fail(Status::unsupported, "algorithm cannon: a block with rows of ", extent, " elements is too large for BLAS");
  if (shape.inner == 1) {
    width_ = slice_width(shape.outer, host_defaults().product_slices);
    slices_ = ceil_div(shape.outer, width_);
  } else {
    width_ = slice_width(shape.inner, ceil_div(host_defaults().product_slices, shape.outer));
    tiles_ = ceil_div(shape.inner, width_);
    slices_ = shape.outer * tiles_;
  }
}

void LocalUpdate::run(std::int64_t first, std::int64_t last, const std::byte* x, std::int64_t rows,
                      const std::byte* matrix, std::byte* y, bool overwrite) const {
  for (std::int64_t slice = first; slice < last; ++slice) {
    if (shape_.inner == 1)
      run_rows(slice, x, rows, matrix, y, overwrite);
    else
      run_columns(slice, x, rows, matrix, y, overwrite);
  }
}

void LocalUpdate::run_rows(std::int64_t slice, const std::byte* x, std::int64_t rows, const std::byte* matrix,
                           std::byte* y, bool overwrite) const {
  const std::int64_t begin = slice * width_;
  const std::int64_t m = std::min(width_, shape_.outer - begin);
  const std::int64_t n = shape_.columns;
  gemm(shape_.precision, Transpose::none, Transpose::none, m, n, rows, shape_.scale, x + begin * rows * element_, rows,
       matrix, n, overwrite ? 0 : 1, y + begin * n * element_, n);
}

void LocalUpdate::run_columns(std::int64_t slice, const std::byte* x, std::int64_t rows, const std::byte* matrix,
                              std::byte* y, bool overwrite) const {
  const std::int64_t o = slice / tiles_;
  const std::int64_t begin = slice % tiles_ * width_;
  const std::int64_t inner = shape_.inner;
  const std::int64_t n = std::min(width_, inner - begin);
  gemm(shape_.precision, Transpose::transpose, Transpose::none, shape_.columns, n, rows, shape_.scale, matrix,
       shape_.columns, x + (o * rows * inner + begin) * element_, inner, overwrite ? 0 : 1,
       y + (o * shape_.columns * inner + begin) * element_, inner);
}

}  // namespace shardfft
