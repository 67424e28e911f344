#include "device/standin/held_lines.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace shardfft::device::lines {

std::uint32_t word_sum(const void* numbers, std::size_t bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += sizeof sum) {
    std::uint32_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(numbers) + i, sizeof word);
    sum += word;
  }
  return sum;
}

namespace {

template <class T>
std::complex<double> wide(const std::complex<T>& x, bool swapped) {
  const auto real = static_cast<double>(x.real()), imag = static_cast<double>(x.imag());
  return swapped ? std::complex<double>(imag, real) : std::complex<double>(real, imag);
}

}  // namespace

template <class T>
void HeldSums<T>::add(const HeldLines<T>& lines, int first, double sign) {
  const auto* const weights = static_cast<const std::complex<T>*>(checks_.weights) + first;
  for (int k = 0; k < n_; ++k)
    for (std::int64_t m = lines.begin; m < lines.end; ++m) {
      const std::complex<double> x = wide(lines.numbers[static_cast<std::size_t>(k * lines.width + m)], swapped_);
      difference_ += sign * (x * wide(weights[k], false)).real();
      if (sign > 0) squares_ += std::norm(x);
    }
}

template <class T>
std::uint64_t HeldSums<T>::words(const HeldLines<T>& lines) const {
  std::uint32_t sum = 0;
  for (int k = 0; k < n_; ++k)
    for (std::int64_t m = lines.begin; m < lines.end; ++m)
      sum += word_sum(&lines.numbers[static_cast<std::size_t>(k * lines.width + m)], sizeof(std::complex<T>));
  return sum;
}

template <class T>
void HeldSums<T>::compare(std::int64_t lines) {
  if (lines <= 0) return;
  SumLimits limits = checks_.limits;
  limits.floor *= static_cast<double>(lines);
  const double part = squared_part(limits.allowed(squares_), difference_);
  difference_ = 0;
  squares_ = 0;
  if (part >= 0) ++checks_.results[sums_compared];
  std::uint64_t& most = checks_.results[largest_square];
  most = std::bit_cast<std::uint64_t>(std::max(std::bit_cast<double>(most), part));
}

template class HeldSums<double>;
template class HeldSums<float>;

}  // namespace shardfft::device::lines
