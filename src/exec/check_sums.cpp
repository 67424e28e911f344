#include "exec/check_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "exec/sum_range.hpp"
#include "pack/block_sums.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

/// Columns whose sums are kept beside each other: few enough to stay in the first cache with the numbers.
constexpr std::int64_t columns_at_once = 256;

template <class T>
PartWeights<T> part_weights(const CheckLoop& loop, bool is_complex) {
  PartWeights<T> split;
  for (const Complex& w : loop.weight) {
    split.to_real.push_back(static_cast<T>(w.real()));
    split.to_imag.push_back(static_cast<T>(w.imag()));
    if (!is_complex) continue;
    split.to_real.push_back(static_cast<T>(-w.imag()));
    split.to_imag.push_back(static_cast<T>(w.real()));
  }
  return split;
}

template <class T>
T load(const std::byte* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// Sums of a row or a column.
struct Sums {
  double real = 0, imag = 0, squares = 0;
};

/// Numbers with weights that are `step` apart in two lists, the second one null where it is not needed.
template <class T>
Sums wide_sums(const T* x, std::int64_t stride, const T* to_real, const T* to_imag, std::int64_t step,
               std::int64_t count) {
  Sums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>(x[i * stride]);
    sums.real += number * static_cast<double>(to_real[i * step]);
    if (to_imag != nullptr) sums.imag += number * static_cast<double>(to_imag[i * step]);
    sums.squares += number * number;
  }
  return sums;
}

}  // namespace

void CheckSide::split_weights() {
  if (loops.empty() || loops.back().stride != 1 || loops.back().unit_stride != 0) return;
  if (precision == Precision::f64)
    neighbours.in64 = part_weights<double>(loops.back(), is_complex);
  else
    neighbours.in32 = part_weights<float>(loops.back(), is_complex);
}

std::size_t CheckSide::table_bytes() const {
  std::size_t bytes = neighbours.table_bytes();
  for (const CheckLoop& loop : loops) bytes += loop.weight.size() * sizeof(Complex);
  return bytes;
}

void CheckSums::clear(std::size_t count) {
  for (auto* list : {&real, &imag, &squares})
    std::fill(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

/// One walk over the part.
template <class T>
class CheckPart::Walk {
 public:
  Walk(const CheckPart& part, CheckSums& sums, bool below, bool words)
      : part_(part),
        sums_(sums),
        below_(below),
        wants_words_(words),
        imag_(part.imag_),
        is_complex_(part.side_->is_complex),
        parts_(is_complex_ ? 2 : 1) {}

  std::uint32_t run(const std::byte* array) {
    visit(0, array + part_.first_ * element_bytes(), part_.first_unit_, 1);
    return words_;
  }

 private:
  static constexpr std::int64_t beyond = 64 / sizeof(T);
  static constexpr std::size_t buffer = std::max(columns_at_once, most_rows) + beyond;

  std::int64_t element_bytes() const { return parts_ * static_cast<std::int64_t>(sizeof(T)); }

  void visit(std::size_t level, const std::byte* at, std::int64_t unit, Complex weight) {
    if (level == part_.outer_.size()) return innermost(at, unit, weight);
    const Nested& loop = part_.outer_[level];
    for (std::int64_t i = 0; i < loop.count; ++i)
      visit(level + 1, at + i * loop.stride * element_bytes(), unit + i * loop.unit_stride,
            weight * weight_of(loop, i));
  }

  void innermost(const std::byte* at, std::int64_t unit, Complex weight) {
    if (part_.shape_ == Shape::single) return single(at, unit, weight);
    const Nested &rows = part_.rows_, &columns = part_.columns_;
    const bool by_column = part_.shape_ == Shape::columns, plane = !by_column && rows.weight != nullptr;
    const std::int64_t most = (by_column ? columns_at_once : most_columns) / parts_;
    for (std::int64_t r = 0; r < rows.count; r += most_rows) {
      const std::int64_t row_count = std::min(most_rows, rows.count - r);
      if (by_column || plane) find_row_weights(r, row_count, weight);
      for (std::int64_t c = 0; c < columns.count; c += most) {
        const NumberBlock<T> block{reinterpret_cast<const T*>(at + (r * rows.stride + c) * element_bytes()), row_count,
                                   rows.stride * parts_, std::min(most, columns.count - c) * parts_};
        if (by_column)
          add_by_column(block, unit + c * columns.unit_stride);
        else if (plane)
          add_plane_of(block, c, unit);
        else
          add_by_row(block, c, unit + r * rows.unit_stride, weight);
      }
    }
  }

  void single(const std::byte* at, std::int64_t unit, Complex weight) {
    const Complex x(static_cast<double>(load<T>(at)), is_complex_ ? static_cast<double>(load<T>(at + sizeof(T))) : 0.0);
    words_ += word_sum(at, static_cast<std::size_t>(element_bytes()));
    const Complex weighted = x * weight;
    add(unit, {weighted.real(), weighted.imag(), std::norm(x)});
  }

  /// Squares are those of the numbers, or times so much at least.
  void add(std::int64_t unit, const Sums& sum, double part = 1) {
    const auto u = static_cast<std::size_t>(unit);
    sums_.real[u] += sum.real;
    if (imag_) sums_.imag[u] += sum.imag;
    if (below_) sums_.squares[u] += sum.squares * part;
  }

  const T* neighbours_to_real(std::int64_t column) const {
    return part_.side_->neighbours.of<T>().to_real.data() + (part_.first_weight_ + column) * parts_;
  }
  const T* neighbours_to_imag(std::int64_t column) const {
    return imag_ ? part_.side_->neighbours.of<T>().to_imag.data() + (part_.first_weight_ + column) * parts_ : nullptr;
  }

  void find_row_weights(std::int64_t first, std::int64_t count, Complex weight) {
    const PartWeights<T>& all = part_.row_weights_.of<T>();
    const bool prepared = !all.to_real.empty();
    if (!prepared) part_.weigh_rows(first, count, weight, to_real_.data(), to_imag_.data());
    const std::int64_t begin = part_.row_parts() * first;
    row_real_ = prepared ? all.to_real.data() + begin : to_real_.data();
    row_imag_ = !imag_ ? nullptr : prepared ? all.to_imag.data() + begin : to_imag_.data();
  }

  BlockSums<T> buffers(const T* to_real, const T* to_imag) {
    return {to_real, to_imag, real_.data(), imag_of_.data(), below_ ? squares_of_.data() : nullptr};
  }

  void add_by_row(const NumberBlock<T>& block, std::int64_t column, std::int64_t unit, Complex weight) {
    const BlockSums<T> sums = buffers(neighbours_to_real(column), neighbours_to_imag(column));
    words_ += add_rows(block, sums, wants_words_);
    const bool good = in_range(sums, block.rows);
    for (std::int64_t r = 0; r < block.rows; ++r, unit += part_.rows_.unit_stride) {
      const Sums sum =
          good ? sums_at(r) : wide_sums(block.at + r * block.stride, 1, sums.to_real, sums.to_imag, 1, block.columns);
      const Complex weighted = Complex(sum.real, sum.imag) * weight;
      add(unit, {weighted.real(), weighted.imag(), sum.squares}, good ? part_.part_ : 1);
    }
  }

  void add_plane_of(const NumberBlock<T>& block, std::int64_t column, std::int64_t unit) {
    const T *const to_real = neighbours_to_real(column), *const to_imag = neighbours_to_imag(column);
    PlaneSum<T> sum = add_plane(block, PlaneWeights<T>{to_real, to_imag, row_real_, row_imag_}, wants_words_);
    words_ += sum.words;
    if (in_range(BlockSums<T>{to_real, to_imag, &sum.real, &sum.imag, below_ ? &sum.below : nullptr}, 1))
      return add(unit, {static_cast<double>(sum.real), static_cast<double>(sum.imag), static_cast<double>(sum.below)},
                 part_.part_);
    for (std::int64_t r = 0; r < block.rows; ++r) {
      const Sums row = wide_sums(block.at + r * block.stride, 1, to_real, to_imag, 1, block.columns);
      const Complex weighted =
          Complex(row.real, row.imag) *
          Complex(static_cast<double>(row_real_[r]), row_imag_ != nullptr ? static_cast<double>(row_imag_[r]) : 0.0);
      add(unit, {weighted.real(), weighted.imag(), row.squares});
    }
  }

  Sums sums_at(std::int64_t place) const {
    const auto i = static_cast<std::size_t>(place);
    return {static_cast<double>(real_[i]), imag_ ? static_cast<double>(imag_of_[i]) : 0.0,
            below_ ? static_cast<double>(squares_of_[i]) : 0.0};
  }

  void add_by_column(const NumberBlock<T>& block, std::int64_t unit) {
    const BlockSums<T> sums = buffers(row_real_, row_imag_);
    for (T* const list : {sums.real, sums.imag, sums.below})
      if (list != nullptr) std::fill(list, list + block.columns + beyond, T(0));
    words_ += add_columns(block, sums, wants_words_);
    if (!in_range(sums, block.columns)) return add_wide_columns(block, unit);
    if (is_complex_)
      add_columns_of<2>(block.columns, unit);
    else
      add_columns_of<1>(block.columns, unit);
  }

  /// Those of the parts of a number are those of its column.
  template <int parts>
  void add_columns_of(std::int64_t columns, std::int64_t unit) {
    const std::int64_t step = part_.columns_.unit_stride;
    const auto add_to = [&](std::vector<double>& all, const std::array<T, buffer>& list, double part) {
      double* const to = all.data() + unit;
      const T* from = list.data();
      for (std::int64_t c = 0; c < columns / parts; ++c, from += parts) {
        double sum = static_cast<double>(from[0]);
        if constexpr (parts == 2) sum += static_cast<double>(from[1]);
        to[c * step] += sum * part;
      }
    };
    add_to(sums_.real, real_, 1);
    if (imag_) add_to(sums_.imag, imag_of_, 1);
    if (below_) add_to(sums_.squares, squares_of_, part_.part_);
  }

  void add_wide_columns(const NumberBlock<T>& block, std::int64_t unit) {
    for (std::int64_t c = 0; c < block.columns; ++c)
      add(unit + c / parts_ * part_.columns_.unit_stride,
          wide_sums(block.at + c, block.stride, row_real_ + c % parts_,
                    row_imag_ != nullptr ? row_imag_ + c % parts_ : nullptr, 2, block.rows));
  }

  const CheckPart& part_;
  CheckSums& sums_;
  bool below_, wants_words_;
  bool imag_;
  bool is_complex_;
  std::int64_t parts_;
  std::uint32_t words_ = 0;
  const T *row_real_ = nullptr, *row_imag_ = nullptr;
  std::array<T, 2 * most_rows> to_real_, to_imag_;     ///< weights of rows, where those of the part do not do
  std::array<T, buffer> real_, imag_of_, squares_of_;  ///< sums of one block
};

CheckPart::Nested CheckPart::cut(const CheckLoop& loop, const CheckCut& cut) {
  return {cut.count, loop.stride * cut.step, loop.unit_stride * cut.step,
          loop.unit_stride > 0 || loop.weight.empty() ? nullptr : loop.weight.data() + cut.begin, cut.step};
}

CheckPart::CheckPart(const CheckSide& side, const std::vector<CheckCut>& cuts) : side_(&side) {
  std::vector<Nested> nest;
  for (const CheckLoop& loop : side.loops) {
    const CheckCut whole{0, loop.n, 1};
    const CheckCut& taken = cuts.empty() ? whole : cuts[loop.loop];
    first_ += taken.begin * loop.stride;
    first_unit_ += taken.begin * loop.unit_stride;
    first_weight_ = taken.begin;  // of the last loop in the end
    nest.push_back(cut(loop, taken));
  }
  if (!nest.empty() && nest.back().stride == 1) {
    columns_ = nest.back();
    const bool weighted = columns_.weight != nullptr;
    // Rows: whatever is next, or the innermost axis that has weights.
    auto rows = nest.end() - 1;
    while (rows != nest.begin() && (rows == nest.end() - 1 || (!weighted && rows->weight == nullptr))) --rows;
    if (rows != nest.end() - 1 && (weighted || rows->weight != nullptr)) {
      rows_ = *rows;
      nest.erase(rows);
      shape_ = weighted ? Shape::rows : Shape::columns;
    } else if (weighted) {
      shape_ = Shape::rows;
    }
    if (shape_ != Shape::single) nest.pop_back();
  }
  outer_ = std::move(nest);
  prepare_rows();
}

double CheckPart::most_square(const Nested& loop, bool of_parts) {
  const auto square = [of_parts](Complex w) {
    return of_parts ? std::max(w.real() * w.real(), w.imag() * w.imag()) : std::norm(w);
  };
  double most = loop.weight == nullptr ? 1 : 0;
  for (std::int64_t i = 0; loop.weight != nullptr && i < loop.count; ++i)
    most = std::max(most, square(weight_of(loop, i)));
  return most;
}

bool CheckPart::has_imag(const Nested& loop) {
  for (std::int64_t i = 0; i < loop.count; ++i)
    if (weight_of(loop, i).imag() != 0) return true;
  return false;
}

/// Sums of rows say of the squares of their numbers what their own weights let them, sums of columns what those of all
/// loops do.
void CheckPart::prepare_rows() {
  const bool by_column = shape_ == Shape::columns;
  bool complex_rows = !by_column && has_imag(rows_), weighted = false;
  for (const Nested& loop : outer_) {
    weighted = weighted || loop.weight != nullptr;
    complex_rows = complex_rows || (!by_column && has_imag(loop));
  }
  imag_ = !side_->real_sums || complex_rows;
  double most = most_square(by_column ? rows_ : columns_, !imag_ && !weighted);
  for (const Nested& loop : outer_) most *= by_column ? most_square(loop, false) : 1;
  part_ = most > 0 ? 1 / most : 0;
  if (weighted || shape_ == Shape::single || (!by_column && rows_.weight == nullptr)) return;
  const auto prepare = [this](auto& weights) {
    for (auto* list : {&weights.to_real, &weights.to_imag})
      list->resize(static_cast<std::size_t>(row_parts() * rows_.count));
    weigh_rows(0, rows_.count, 1, weights.to_real.data(), weights.to_imag.data());
  };
  if (side_->precision == Precision::f64)
    prepare(row_weights_.in64);
  else
    prepare(row_weights_.in32);
}

/// Of columns what the parts of a number give to the parts of its sum.
template <class T>
void CheckPart::weigh_rows(std::int64_t first, std::int64_t count, Complex weight, T* to_real, T* to_imag) const {
  for (std::int64_t r = 0; r < count; ++r) {
    const Complex w = weight * weight_of(rows_, first + r);
    *to_real++ = static_cast<T>(w.real());
    *to_imag++ = static_cast<T>(w.imag());
    if (shape_ != Shape::columns) continue;
    *to_real++ = static_cast<T>(side_->is_complex ? -w.imag() : w.real());
    *to_imag++ = static_cast<T>(side_->is_complex ? w.real() : w.imag());
  }
}

std::uint32_t CheckPart::add(const std::byte* array, CheckSums& sums, bool below, bool words) const {
  return side_->precision == Precision::f64 ? Walk<double>(*this, sums, below, words).run(array)
                                            : Walk<float>(*this, sums, below, words).run(array);
}

template <class T>
void CheckPart::add_squares_of(const T* at, std::size_t level, std::int64_t unit, CheckSums& sums) const {
  const std::int64_t parts = side_->is_complex ? 2 : 1;
  if (level < outer_.size()) {
    const Nested& loop = outer_[level];
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
  const std::int64_t first = first_ * (side_->is_complex ? 2 : 1);
  if (side_->precision == Precision::f64)
    add_squares_of(reinterpret_cast<const double*>(array) + first, 0, first_unit_, sums);
  else
    add_squares_of(reinterpret_cast<const float*>(array) + first, 0, first_unit_, sums);
}

}  // namespace shardfft
