#include "exec/check_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "pack/block_sums.hpp"

namespace shardfft {

namespace {

using Complex = std::complex<double>;

/// Columns whose sums are kept beside each other: few enough to stay in the first cache with the numbers.
constexpr std::int64_t columns_at_once = 256;

template <class T>
NeighbourWeights<T> neighbours(const CheckLoop& loop, bool is_complex) {
  NeighbourWeights<T> split;
  for (const Complex& w : loop.weight) {
    split.to_real.push_back(static_cast<T>(w.real()));
    split.to_imag.push_back(static_cast<T>(w.imag()));
    if (!is_complex) continue;
    split.to_real.push_back(static_cast<T>(-w.imag()));
    split.to_imag.push_back(static_cast<T>(w.real()));
  }
  for (auto* list : {&split.to_real, &split.to_imag}) list->resize(list->size() + 64 / sizeof(T));
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

/// Whether sums in the precision of the numbers are good: the squares of single ones soon leave what it holds.
template <class T>
bool in_range(const T* real, const T* imag, const T* squares, std::int64_t count) {
  if constexpr (sizeof(T) == sizeof(double)) return true;
  T least = 1, most = 1, nothing = 0;  // no number where a sum is none
  for (std::int64_t i = 0; i < count; ++i) nothing += (real[i] + imag[i]) * T(0);
  for (std::int64_t i = 0; squares != nullptr && i < count; ++i) {
    least = squares[i] < least ? squares[i] : least;
    most = squares[i] > most ? squares[i] : most;
  }
  return nothing == 0 && least > T(1e-25) && most < T(1e30);
}

template <class T>
Sums wide_sums(const T* x, std::int64_t stride, const T* to_real, const T* to_imag, std::int64_t count) {
  Sums sums;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>(x[i * stride]);
    sums.real += number * static_cast<double>(to_real[i]);
    sums.imag += number * static_cast<double>(to_imag[i]);
    sums.squares += number * number;
  }
  return sums;
}

}  // namespace

void CheckSide::split_weights() {
  if (loops.empty() || loops.back().stride != 1 || loops.back().unit_stride != 0) return;
  if (precision == Precision::f64)
    neighbours64 = neighbours<double>(loops.back(), is_complex);
  else
    neighbours32 = neighbours<float>(loops.back(), is_complex);
}

std::size_t CheckSide::table_bytes() const {
  std::size_t bytes =
      2 * neighbours64.to_real.size() * sizeof(double) + 2 * neighbours32.to_real.size() * sizeof(float);
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
  Walk(const CheckPart& part, CheckSums& sums, bool squares)
      : part_(part), sums_(sums), squares_(squares), is_complex_(part.side_->is_complex), parts_(is_complex_ ? 2 : 1) {}

  std::uint32_t run(const std::byte* array) {
    visit(0, array + part_.first_ * element_bytes(), part_.first_unit_, 1);
    return words_;
  }

 private:
  static constexpr std::size_t buffer = std::max(columns_at_once, most_rows);

  std::int64_t element_bytes() const { return parts_ * static_cast<std::int64_t>(sizeof(T)); }

  void visit(std::size_t level, const std::byte* at, std::int64_t unit, Complex weight) {
    if (level == part_.outer_.size()) return innermost(at, unit, weight);
    const Nested& loop = part_.outer_[level];
    for (std::int64_t i = 0; i < loop.count; ++i)
      visit(level + 1, at + i * loop.stride * element_bytes(), unit + i * loop.unit_stride,
            weight * weight_of(loop, i));
  }

  static Complex weight_of(const Nested& loop, std::int64_t i) {
    return loop.weight == nullptr ? Complex(1) : loop.weight[i * loop.weight_step];
  }

  void innermost(const std::byte* at, std::int64_t unit, Complex weight) {
    if (part_.shape_ == Shape::single) return single(at, unit, weight);
    const Nested &rows = part_.rows_, &columns = part_.columns_;
    const bool by_column = part_.shape_ == Shape::columns, plane = !by_column && rows.weight != nullptr;
    const std::int64_t most = (by_column ? columns_at_once : most_columns) / parts_;
    for (std::int64_t r = 0; r < rows.count; r += most_rows) {
      const std::int64_t row_count = std::min(most_rows, rows.count - r);
      if (by_column || plane) weigh_rows(r, row_count, weight);
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

  void add(std::int64_t unit, const Sums& sum) {
    const auto u = static_cast<std::size_t>(unit);
    sums_.real[u] += sum.real;
    sums_.imag[u] += sum.imag;
    sums_.squares[u] += sum.squares;
  }

  const NeighbourWeights<T>& neighbours() const {
    if constexpr (sizeof(T) == sizeof(double))
      return part_.side_->neighbours64;
    else
      return part_.side_->neighbours32;
  }

  const T* neighbours_to_real(std::int64_t column) const {
    return neighbours().to_real.data() + (part_.first_weight_ + column) * parts_;
  }
  const T* neighbours_to_imag(std::int64_t column) const {
    return neighbours().to_imag.data() + (part_.first_weight_ + column) * parts_;
  }

  BlockSums<T> buffers(const T* to_real, const T* to_imag) {
    return {to_real, to_imag, real_.data(), imag_.data(), squares_ ? squares_of_.data() : nullptr};
  }

  void add_by_row(const NumberBlock<T>& block, std::int64_t column, std::int64_t unit, Complex weight) {
    const BlockSums<T> sums = buffers(neighbours_to_real(column), neighbours_to_imag(column));
    words_ += add_rows(block, sums);
    const bool good = in_range(sums.real, sums.imag, sums.squares, block.rows);
    for (std::int64_t r = 0; r < block.rows; ++r, unit += part_.rows_.unit_stride) {
      const Sums sum =
          good ? sums_at(r) : wide_sums(block.at + r * block.stride, 1, sums.to_real, sums.to_imag, block.columns);
      const Complex weighted = Complex(sum.real, sum.imag) * weight;
      add(unit, {weighted.real(), weighted.imag(), sum.squares});
    }
  }

  void add_plane_of(const NumberBlock<T>& block, std::int64_t column, std::int64_t unit) {
    const T *const to_real = neighbours_to_real(column), *const to_imag = neighbours_to_imag(column);
    const PlaneSum<T> sum =
        add_plane(block, PlaneWeights<T>{to_real, to_imag, to_real_.data(), to_imag_.data(), squares_});
    words_ += sum.words;
    if (in_range(&sum.real, &sum.imag, squares_ ? &sum.squares : nullptr, 1))
      return add(unit,
                 {static_cast<double>(sum.real), static_cast<double>(sum.imag), static_cast<double>(sum.squares)});
    for (std::int64_t r = 0; r < block.rows; ++r) {
      const auto i = static_cast<std::size_t>(r);
      const Sums row = wide_sums(block.at + r * block.stride, 1, to_real, to_imag, block.columns);
      const Complex weighted =
          Complex(row.real, row.imag) * Complex(static_cast<double>(to_real_[i]), static_cast<double>(to_imag_[i]));
      add(unit, {weighted.real(), weighted.imag(), row.squares});
    }
  }

  void weigh_rows(std::int64_t first, std::int64_t count, Complex weight) {
    for (std::int64_t r = 0; r < count; ++r) {
      const Complex w = weight * weight_of(part_.rows_, first + r);
      to_real_[static_cast<std::size_t>(r)] = static_cast<T>(w.real());
      to_imag_[static_cast<std::size_t>(r)] = static_cast<T>(w.imag());
    }
  }

  Sums sums_at(std::int64_t place) const {
    const auto i = static_cast<std::size_t>(place);
    return {static_cast<double>(real_[i]), static_cast<double>(imag_[i]),
            squares_ ? static_cast<double>(squares_of_[i]) : 0.0};
  }

  void add_by_column(const NumberBlock<T>& block, std::int64_t unit) {
    const BlockSums<T> sums = buffers(to_real_.data(), to_imag_.data());
    words_ += add_columns(block, sums);
    const bool good = in_range(sums.real, sums.imag, sums.squares, block.columns);
    const auto column = [&](std::int64_t c) {
      return good ? sums_at(c) : wide_sums(block.at + c, block.stride, sums.to_real, sums.to_imag, block.rows);
    };
    for (std::int64_t c = 0; c < block.columns; c += parts_, unit += part_.columns_.unit_stride) {
      Sums sum = column(c);
      if (is_complex_) {
        const Sums imag = column(c + 1);
        sum = {sum.real - imag.imag, sum.imag + imag.real, sum.squares + imag.squares};
      }
      add(unit, sum);
    }
  }

  const CheckPart& part_;
  CheckSums& sums_;
  bool squares_;
  bool is_complex_;
  std::int64_t parts_;
  std::uint32_t words_ = 0;
  std::array<T, most_rows> to_real_, to_imag_;      ///< weights of rows
  std::array<T, buffer> real_, imag_, squares_of_;  ///< sums of one block
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
}

std::uint32_t CheckPart::add(const std::byte* array, CheckSums& sums, bool squares) const {
  return side_->precision == Precision::f64 ? Walk<double>(*this, sums, squares).run(array)
                                            : Walk<float>(*this, sums, squares).run(array);
}

}  // namespace shardfft
