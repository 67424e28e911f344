#include "device/standin/held_lines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

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

/// The real part of a product, without the special treatment of infinities in complex products.
template <class T>
double real_of_product(const std::complex<T>& x, std::complex<double> weight, bool swapped) {
  const auto real = static_cast<double>(x.real()), imag = static_cast<double>(x.imag());
  return swapped ? imag * weight.real() - real * weight.imag() : real * weight.real() - imag * weight.imag();
}

/// In the form that kernels read.
template <class T>
std::complex<double> weight_of_result(const void* weights, int n, int k) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(static_cast<const std::complex<T>*>(weights) + n);
  const double w = sizeof(T) == 8 ? std::bit_cast<double>(std::uint64_t{words[k]} << 32)
                                  : static_cast<double>(std::bit_cast<float>(words[k]));
  return {w, w};
}

}  // namespace

template <class T>
void HeldSums<T>::add(const HeldLines<T>& lines, bool is_result) {
  constexpr int threads = 8;  // of a line
  const std::int64_t count = lines.end - lines.begin;
  if (count <= 0) return;
  std::vector<double> sums(static_cast<std::size_t>(threads * count));
  for (int k = 0; k < n_; ++k) {
    const std::complex<double> weight =
        is_result ? weight_of_result<T>(checks_.weights, n_, k)
                  : std::complex<double>(static_cast<const std::complex<T>*>(checks_.weights)[k]);
    const std::complex<T>* const numbers = &lines.numbers[static_cast<std::size_t>(k * lines.width + lines.begin)];
    double* const of_thread = sums.data() + k % threads * count;
    for (std::int64_t m = 0; m < count; ++m) of_thread[m] += real_of_product(numbers[m], weight, swapped_);
  }
  for (std::int64_t m = 0; m < count; ++m)
    for (int t = 0; t < threads; ++t) {
      const double sum =
          sums[static_cast<std::size_t>(t * count + m)] * (is_result ? checks_.result_factor : checks_.input_factor);
      difference_ += is_result ? -sum : sum;
      if (!is_result || std::isfinite(sum * sum)) squares_ += sum * sum;
    }
}

template <class T>
std::uint64_t HeldSums<T>::words(const HeldLines<T>& lines) const {
  std::uint32_t sum = 0;
  if (lines.end <= lines.begin) return sum;
  for (int k = 0; k < n_; ++k)
    sum += word_sum(&lines.numbers[static_cast<std::size_t>(k * lines.width + lines.begin)],
                    static_cast<std::size_t>(lines.end - lines.begin) * sizeof(std::complex<T>));
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
