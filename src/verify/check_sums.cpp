#include "verify/check_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tune/defaults.hpp"
#include "verify/sum_range.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

/// Columns whose sums are kept beside each other: few enough to stay in the first cache with the numbers.
constexpr std::int64_t columns_at_once = 256;

/// The weights of a number's real and imaginary part. `splits`: the share of each part in the real part of the number's
/// product with `weight`; else both have the real weight.
template <class T>
void weigh_parts(Complex weight, bool splits, T* parts) {
  parts[0] = static_cast<T>(weight.real());
  parts[1] = static_cast<T>(splits ? -weight.imag() : weight.real());
}

template <class T>
void weigh_neighbours(const CheckLoop& loop, bool is_complex, std::vector<T>& list) {
  for (const Complex& w : loop.weight) {
    T parts[2];
    weigh_parts(w, loop.has_parts, parts);
    list.insert(list.end(), parts, parts + (is_complex ? 2 : 1));
  }
}

template <class T>
T load(const std::byte* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// The sums of a row or a column.
struct Sums {
  double sum = 0, squares = 0;
};

/// Numbers with weights that are `step` apart.
template <class T>
Sums wide_sums(const T* x, std::int64_t stride, const T* weights, std::int64_t step, std::int64_t count) {
  Sums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>(x[i * stride]);
    sums.sum += number * static_cast<double>(weights[i * step]);
    sums.squares += number * number;
  }
  return sums;
}

}  // namespace

void CheckSide::split_weights() {
  if (loops.empty() || loops.back().stride != 1 || loops.back().unit_stride != 0) return;
  if (precision == Precision::f64)
    weigh_neighbours(loops.back(), is_complex, neighbours.in64);
  else
    weigh_neighbours(loops.back(), is_complex, neighbours.in32);
}

std::size_t CheckSide::table_bytes() const {
  std::size_t bytes = neighbours.table_bytes();
  for (const CheckLoop& loop : loops) bytes += loop.weight.size() * sizeof(Complex);
  return bytes;
}

void CheckSums::clear(std::size_t count) {
  for (auto* list : {&real, &squares})
    std::fill(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

/// One walk over the part.
template <class T>
class CheckPart::Walk {
 public:
  Walk(const CheckPart& part, CheckSums& sums, bool below, bool words)
      : part_(part), sums_(sums), below_(below), wants_words_(words), parts_(part.side_->is_complex ? 2 : 1) {}

  std::uint32_t run(const std::byte* array) {
    visit(0, {array + part_.nest_.first() * element_bytes(), 0}, part_.nest_.first_unit(), 1);
    return words_;
  }
  std::uint32_t run_copied(const std::byte* array, std::byte* other, RowCopy copy) {
    other_ = other + part_.nest_.other_first() * element_bytes();
    copy_ = copy;
    return run(array);
  }

 private:
  static constexpr std::int64_t beyond = 64 / sizeof(T);
  static constexpr std::size_t buffer = std::max(columns_at_once, most_rows) + beyond;
  /// A place in the array, and in elements from the beginning of the other one.
  struct Cursor {
    const std::byte* at;
    std::int64_t other;
  };

  std::int64_t element_bytes() const { return parts_ * static_cast<std::int64_t>(sizeof(T)); }
  Cursor moved(const Cursor& from, const NestedLoop& loop, std::int64_t i) const {
    return {from.at + i * loop.stride * element_bytes(), from.other + i * loop.other_stride};
  }

  void visit(std::size_t level, const Cursor& from, std::int64_t unit, Complex weight) {
    if (level == part_.outer_.size()) return innermost(from, unit, weight);
    const NestedLoop& loop = part_.outer_[level];
    for (std::int64_t i = 0; i < loop.count; ++i)
      visit(level + 1, moved(from, loop, i), unit + i * loop.unit_stride, weight * loop.weight_of(i));
  }

  void innermost(const Cursor& from, std::int64_t unit, Complex weight) {
    if (part_.shape_ == Shape::single) return single(from.at, unit, weight);
    const NestedLoop &rows = part_.rows_, &columns = part_.columns_;
    const bool by_column = part_.shape_ == Shape::columns, plane = !by_column && rows.weight != nullptr;
    const std::int64_t most = (by_column ? columns_at_once : most_columns) / parts_;
    for (std::int64_t r = 0; r < rows.count; r += most_rows) {
      const std::int64_t row_count = std::min(most_rows, rows.count - r);
      if (by_column || plane) find_row_weights(r, row_count, weight);
      for (std::int64_t c = 0; c < columns.count; c += most) {
        const Cursor first = moved(moved(from, rows, r), columns, c);
        const NumberBlock<T> block{reinterpret_cast<const T*>(first.at), row_count, rows.stride * parts_,
                                   std::min(most, columns.count - c) * parts_};
        if (copy_ != RowCopy::none)
          other_rows_ = {reinterpret_cast<T*>(other_ + first.other * element_bytes()), rows.other_stride * parts_,
                         copy_, host_defaults().copied_bytes_ahead};
        if (by_column)
          add_by_column(block, unit + c * columns.unit_stride);
        else if (plane)
          add_plane_of(block, c, unit);
        else
          add_by_row(block, c, unit + r * rows.unit_stride);
      }
    }
  }

  void single(const std::byte* at, std::int64_t unit, Complex weight) {
    const Complex x(static_cast<double>(load<T>(at)), parts_ == 2 ? static_cast<double>(load<T>(at + sizeof(T))) : 0.0);
    words_ += word_sum(at, static_cast<std::size_t>(element_bytes()));
    add(unit, {(x * weight).real(), std::norm(x)});
  }

  /// The squares of the numbers are at least `part` times the sum's.
  void add(std::int64_t unit, const Sums& sum, double part = 1) {
    const auto u = static_cast<std::size_t>(unit);
    sums_.real[u] += sum.sum * outer_weight_;
    if (below_) sums_.squares[u] += sum.squares * part;
  }

  const T* neighbours(std::int64_t column) const {
    return part_.side_->neighbours.of<T>().data() + (part_.nest_.first_weight() + column) * parts_;
  }

  void find_row_weights(std::int64_t first, std::int64_t count, Complex weight) {
    const std::vector<T>& all = part_.row_weights_.of<T>();
    row_weights_ = all.empty() ? own_weights_.data() : all.data() + 2 * first;
    outer_weight_ = all.empty() ? 1 : weight.real();
    if (all.empty()) part_.weigh_rows(first, count, weight, own_weights_.data());
  }

  BlockSums<T> buffers(const T* weights) { return {weights, sum_of_.data(), below_ ? squares_of_.data() : nullptr}; }

  /// No other loop has weights.
  void add_by_row(const NumberBlock<T>& block, std::int64_t column, std::int64_t unit) {
    const BlockSums<T> sums = buffers(neighbours(column));
    words_ += add_rows(block, sums, wants_words_, other_rows_);
    const bool good = in_range(sums, block.rows);
    for (std::int64_t r = 0; r < block.rows; ++r, unit += part_.rows_.unit_stride) {
      const Sums sum = good ? Sums{static_cast<double>(sums.sum[r]), below_ ? static_cast<double>(sums.below[r]) : 0.0}
                            : wide_sums(block.at + r * block.stride, 1, sums.weights, 1, block.columns);
      add(unit, sum, good ? part_.part_ : 1);
    }
  }

  void add_plane_of(const NumberBlock<T>& block, std::int64_t column, std::int64_t unit) {
    const T* const weights = neighbours(column);
    PlaneSum<T> sum = add_plane(block, PlaneWeights<T>{weights, row_weights_}, wants_words_, other_rows_);
    words_ += sum.words;
    if (in_range(BlockSums<T>{weights, &sum.sum, below_ ? &sum.below : nullptr}, 1))
      return add(unit, {static_cast<double>(sum.sum), static_cast<double>(sum.below)}, part_.part_);
    for (std::int64_t r = 0; r < block.rows; ++r)
      for (std::int64_t p = 0; p < parts_; ++p) {
        const Sums row =
            wide_sums(block.at + r * block.stride + p, parts_, weights + p, parts_, block.columns / parts_);
        add(unit, {row.sum * static_cast<double>(row_weights_[2 * r + p]), row.squares});
      }
  }

  void add_by_column(const NumberBlock<T>& block, std::int64_t unit) {
    const BlockSums<T> sums = buffers(row_weights_);
    for (T* const list : {sums.sum, sums.below})
      if (list != nullptr) std::fill(list, list + block.columns + beyond, T(0));
    words_ += add_columns(block, sums, wants_words_, other_rows_);
    if (!in_range(sums, block.columns)) return add_wide_columns(block, unit);
    if (parts_ == 2)
      add_columns_of<2>(sums, block.columns, unit);
    else
      add_columns_of<1>(sums, block.columns, unit);
  }

  /// Adds the sums of columns to those of their transforms; a number of `parts` parts is one column.
  template <int parts>
  void add_columns_of(const BlockSums<T>& sums, std::int64_t columns, std::int64_t unit) {
    const std::int64_t step = part_.columns_.unit_stride;
    const auto add_to = [&](std::vector<double>& all, const T* from, double part) {
      double* const to = all.data() + unit;
      for (std::int64_t c = 0; c < columns / parts; ++c, from += parts) {
        double sum = static_cast<double>(from[0]);
        if constexpr (parts == 2) sum += static_cast<double>(from[1]);
        to[c * step] += sum * part;
      }
    };
    add_to(sums_.real, sums.sum, outer_weight_);
    if (below_) add_to(sums_.squares, sums.below, part_.part_);
  }

  void add_wide_columns(const NumberBlock<T>& block, std::int64_t unit) {
    for (std::int64_t c = 0; c < block.columns; ++c)
      add(unit + c / parts_ * part_.columns_.unit_stride,
          wide_sums(block.at + c, block.stride, row_weights_ + c % parts_, 2, block.rows));
  }

  const CheckPart& part_;
  CheckSums& sums_;
  bool below_, wants_words_;
  std::int64_t parts_;
  std::byte* other_ = nullptr;
  RowCopy copy_ = RowCopy::none;
  OtherRows<T> other_rows_;
  std::uint32_t words_ = 0;
  const T* row_weights_ = nullptr;
  double outer_weight_ = 1;                    ///< of the sums that are added up with them
  std::array<T, 2 * most_rows> own_weights_;   ///< if those of the part do not serve
  std::array<T, buffer> sum_of_, squares_of_;  ///< of one block
};

CheckPart::CheckPart(const CheckSide& side, const std::vector<CheckCut>& cuts) : side_(&side), nest_(side.loops, cuts) {
  arrange();
}

/// Chooses the loops for rows, for columns, and around them.
void CheckPart::arrange() {
  shape_ = Shape::single;
  rows_ = columns_ = {};
  splits_rows_ = true;
  row_weights_ = {};
  outer_ = nest_.merged();
  if (!outer_.empty() && outer_.back().stride == 1) {
    columns_ = outer_.back();
    outer_.pop_back();
    const bool weighted = columns_.weight != nullptr;
    splits_rows_ = !weighted || !side_->loops.back().has_parts;
    // Rows: the innermost axis that has weights, or else the next loop.
    auto rows =
        std::find_if(outer_.rbegin(), outer_.rend(), [](const NestedLoop& loop) { return loop.weight != nullptr; });
    if (rows == outer_.rend() && weighted) rows = outer_.rbegin();
    if (weighted || rows != outer_.rend()) shape_ = weighted ? Shape::rows : Shape::columns;
    if (rows != outer_.rend()) {
      rows_ = *rows;
      outer_.erase(std::next(rows).base());
    }
    if (shape_ == Shape::single) outer_.push_back(columns_);
  }
  prepare_rows();
}

double CheckPart::most_square(const NestedLoop& loop, bool of_parts) {
  const auto square = [of_parts](Complex w) {
    return of_parts ? std::max(w.real() * w.real(), w.imag() * w.imag()) : std::norm(w);
  };
  double most = loop.weight == nullptr ? 1 : 0;
  for (std::int64_t i = 0; loop.weight != nullptr && i < loop.count; ++i)
    most = std::max(most, square(loop.weight_of(i)));
  return most;
}

bool CheckPart::is_real(const NestedLoop& loop) {
  for (std::int64_t i = 0; loop.weight != nullptr && i < loop.count; ++i)
    if (loop.weight_of(i).imag() != 0) return false;
  return true;
}

/// Weighted sums bound the squares of their numbers: row sums by their own weights, column sums by the weights of rows,
/// and also by those of the loops around if the row weights include them. Each row has two weights, the shares of a
/// number's parts in the real part of the sum. Real weights around the rows are applied to the sums instead.
void CheckPart::prepare_rows() {
  const bool by_column = shape_ == Shape::columns;
  const bool real_around = std::all_of(outer_.begin(), outer_.end(), is_real);
  double most = most_square(by_column ? rows_ : columns_, real_around);
  for (const NestedLoop& loop : outer_) most *= by_column && !real_around ? most_square(loop, false) : 1;
  part_ = most > 0 ? 1 / most : 0;
  if (!real_around || shape_ == Shape::single || (!by_column && rows_.weight == nullptr)) return;
  const auto prepare = [this](auto& weights) {
    weights.resize(static_cast<std::size_t>(2 * rows_.count));
    weigh_rows(0, rows_.count, 1, weights.data());
  };
  if (side_->precision == Precision::f64)
    prepare(row_weights_.in64);
  else
    prepare(row_weights_.in32);
}

template <class T>
void CheckPart::weigh_rows(std::int64_t first, std::int64_t count, Complex weight, T* to) const {
  for (std::int64_t r = 0; r < count; ++r)
    weigh_parts(weight * rows_.weight_of(first + r), side_->is_complex && splits_rows_, to + 2 * r);
}

std::uint32_t CheckPart::add(const std::byte* array, CheckSums& sums, bool below, bool words) const {
  return side_->precision == Precision::f64 ? Walk<double>(*this, sums, below, words).run(array)
                                            : Walk<float>(*this, sums, below, words).run(array);
}

std::uint32_t CheckPart::add_copied(const std::byte* array, std::byte* other, RowCopy copy, CheckSums& sums, bool below,
                                    bool words) const {
  return side_->precision == Precision::f64 ? Walk<double>(*this, sums, below, words).run_copied(array, other, copy)
                                            : Walk<float>(*this, sums, below, words).run_copied(array, other, copy);
}

/// Runs of neighbours must be long enough on both sides.
bool CheckPart::join(const LoopNest& copy, CopySide side, CopyOf what, std::size_t element_bytes) {
  const std::size_t own_bytes = (side_->precision == Precision::f64 ? 8U : 4U) * (side_->is_complex ? 2U : 1U);
  if (shape_ == Shape::single || own_bytes != element_bytes) return false;
  CheckNest before = nest_;
  if (!nest_.join(copy, side, what)) return false;
  if (before.is_joined()) return true;
  arrange();
  const auto bytes = columns_.count * static_cast<std::int64_t>(element_bytes);
  if (columns_.other_stride == 1 && bytes >= host_defaults().run_bytes_to_write_past_cache) return true;
  nest_ = std::move(before);
  arrange();
  return false;
}

template <class T>
void CheckPart::add_squares_of(const T* at, std::size_t level, std::int64_t unit, CheckSums& sums) const {
  const std::int64_t parts = side_->is_complex ? 2 : 1;
  if (level < outer_.size()) {
    const NestedLoop& loop = outer_[level];
    for (std::int64_t i = 0; i < loop.count; ++i)
      add_squares_of(at + i * loop.stride * parts, level + 1, unit + i * loop.unit_stride, sums);
    return;
  }
  const auto square = [parts](const T* number) {
    const auto real = static_cast<double>(number[0]), imag = parts == 2 ? static_cast<double>(number[1]) : 0.0;
    return real * real + imag * imag;
  };
  for (std::int64_t r = 0; r < rows_.count; ++r) {
    const T* const row = at + r * rows_.stride * parts;
    double* const to = sums.squares.data() + unit + r * rows_.unit_stride;
    for (std::int64_t c = 0; c < columns_.count; ++c)
      to[c * columns_.unit_stride] += square(row + c * columns_.stride * parts);
  }
}

void CheckPart::add_squares(const std::byte* array, CheckSums& sums) const {
  const std::int64_t first = nest_.first() * (side_->is_complex ? 2 : 1);
  if (side_->precision == Precision::f64)
    add_squares_of(reinterpret_cast<const double*>(array) + first, 0, nest_.first_unit(), sums);
  else
    add_squares_of(reinterpret_cast<const float*>(array) + first, 0, nest_.first_unit(), sums);
}

}  // namespace shardfft
