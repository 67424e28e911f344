#pragma once
// Sums of powers of numbers about their mean. Plain arithmetic, for loops on CPUs and for kernels.
#include <algorithm>
#include <cstdint>

namespace shardfft {

/// Sums of powers about the mean of `count` numbers; those of two sets give those of their union (Pebay 2008).
struct Powers {
  double count = 0, mean = 0, second = 0, third = 0, fourth = 0, least = 0, largest = 0;

  constexpr void join(const Powers& b) {
    if (b.count == 0) return;
    if (count == 0) {
      *this = b;
      return;
    }
    const double n = count + b.count, d = b.mean - mean, step = d / n, both = count * b.count;
    fourth += b.fourth + d * step * step * step * both * (count * count - both + b.count * b.count) +
              6 * step * step * (count * count * b.second + b.count * b.count * second) +
              4 * step * (count * b.third - b.count * third);
    third += b.third + d * step * step * both * (count - b.count) + 3 * step * (count * b.second - b.count * second);
    second += b.second + d * step * both;
    mean += step * b.count;
    count = n;
    least = std::min(least, b.least);
    largest = std::max(largest, b.largest);
  }
};

/// The powers of a few numbers, which stay in cache between the loops over them.
template <class T>
Powers powers_of(const T* numbers, std::int64_t size) {
  Powers p;
  p.count = static_cast<double>(size);
  p.least = p.largest = static_cast<double>(numbers[0]);
  for (std::int64_t i = 0; i < size; ++i) p.mean += static_cast<double>(numbers[i]);
  p.mean /= p.count;
  double rest = 0;
  for (std::int64_t i = 0; i < size; ++i) rest += static_cast<double>(numbers[i]) - p.mean;
  p.mean += rest / p.count;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto number = static_cast<double>(numbers[i]);
    const double d = number - p.mean, square = d * d;
    p.second += square;
    p.third += square * d;
    p.fourth += square * square;
    p.least = std::min(p.least, number);
    p.largest = std::max(p.largest, number);
  }
  return p;
}

}  // namespace shardfft
