#include "cannon/dft_matrix.hpp"

#include <cmath>
#include <numbers>

namespace shardfft {

DftMatrix::DftMatrix(std::int64_t n, Direction direction, bool doubled) : n_(n), doubled_(doubled) {
  const long double sign = direction == Direction::forward ? -2 : 2;
  for (std::int64_t i = 0; i < n; ++i) {
    const long double angle =
        sign * std::numbers::pi_v<long double> * static_cast<long double>(i) / static_cast<long double>(n);
    roots_.emplace_back(static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle)));
  }
}

template <class T>
void DftMatrix::fill(const Progression& rows, const Progression& columns, std::complex<T>* entry) const {
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::int64_t s = rows.at(i);
    const double weight = doubled_ && s > 0 && 2 * s < n_ ? 2 : 1;
    for (std::int64_t j = 0; j < columns.count; ++j) {
      const std::complex<double> root = roots_[static_cast<std::size_t>(s * columns.at(j) % n_)];
      *entry++ = std::complex<T>(weight * root);
    }
  }
}

AlignedMemory DftMatrix::block(const Progression& rows, const Progression& columns, Precision precision) const {
  const auto entries = static_cast<std::size_t>(rows.count * columns.count);
  AlignedMemory memory = allocate_aligned(entries * ElementType{precision, true}.bytes());
  if (precision == Precision::f64)
    fill(rows, columns, reinterpret_cast<std::complex<double>*>(memory.get()));
  else
    fill(rows, columns, reinterpret_cast<std::complex<float>*>(memory.get()));
  return memory;
}

}  // namespace shardfft
