#pragma once
// The innermost loops of short numbers: one block. A double in [2^52, 2^53) holds an integer in its low bits: adding
// 2^52 to a number rounds it, and the low bytes of the sum are sent.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "pack/kernels.hpp"
#include "pack/short_numbers.hpp"

namespace shardfft::kernel {

/// Vector extensions of GCC and Clang, as in kernels.hpp.
using Twin = double __attribute__((vector_size(16)));
inline constexpr int block = static_cast<int>(ShortNumbers::block);
inline constexpr int twins = block / 2;
/// Most bytes of one block, with the bytes behind it that are written or read with its last number.
inline constexpr std::size_t most_block_bytes = 2 + 6 * block + 8;

inline constexpr int exponent_bias = 4096;
/// Set beside the exponent if the lowest codes stand for NaN and -infinity, and the highest for infinity.
inline constexpr int unusual_bit = 0x4000;

inline double bits_as_double(std::uint64_t bits) { return load<double>(reinterpret_cast<const std::byte*>(&bits)); }
inline std::uint64_t bits_of(double number) { return load<std::uint64_t>(reinterpret_cast<const std::byte*>(&number)); }
inline double power_of_two(int exponent) { return bits_as_double(static_cast<std::uint64_t>(exponent + 1023) << 52); }

inline Twin load_twin(const double* at) { return Twin{at[0], at[1]}; }
inline Twin load_twin(const float* at) { return Twin{at[0], at[1]}; }
inline Twin both(double number) { return Twin{number, number}; }
inline double sum(Twin twin) { return twin[0] + twin[1]; }

/// Sums of squares of several blocks, one sum a lane.
struct LossLanes {
  Twin error{}, sent{};
};

/// The constants and functions that depend only on the bytes of a number.
template <int bytes>
struct Code {
  static constexpr std::uint64_t middle = std::uint64_t{1} << (8 * bytes - 1);  ///< stands for 0
  static constexpr std::uint64_t top = 2 * middle - 1;
  static constexpr std::uint64_t of_two_to_52 = std::uint64_t{1075} << 52;
  static constexpr double magic = 4503599627370496.0 + static_cast<double>(middle);

  /// Exponent of the scale; no number up to `largest` is rounded beyond the codes.
  static int exponent(double largest) {
    const double bound = largest * (1 + 1 / static_cast<double>(middle));
    return std::max(static_cast<int>(bits_of(bound) >> 52) - 1022 - (8 * bytes - 1), -1000);
  }
  static void put(std::uint64_t word, std::byte* at) {
    if constexpr (bytes == 4)
      store(at, static_cast<std::uint32_t>(word));
    else
      store(at, word);  // the next number overwrites the excess bytes
  }
  static std::uint64_t get(const std::byte* at) {
    if constexpr (bytes == 4)
      return load<std::uint32_t>(at);
    else
      return load<std::uint64_t>(at) & top;
  }
};

template <class Real>
double largest_of(const Real* numbers) {
  using Bits = std::uint64_t __attribute__((vector_size(16)));
  constexpr Bits magnitude{~(std::uint64_t{1} << 63), ~(std::uint64_t{1} << 63)};
  std::array<Twin, twins> most;
  for (std::size_t i = 0; i < twins; ++i) most[i] = Twin(Bits(load_twin(numbers + 2 * i)) & magnitude);
  for (std::size_t width = twins / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i) most[i] = most[i] > most[i + width] ? most[i] : most[i + width];
  return most[0][0] > most[0][1] ? most[0][0] : most[0][1];
}

/// For a block with infinities, NaN, or numbers that rounding may make infinite: one bit less frees codes for these.
template <int bytes, class Real>
void shorten_unusual(const Real* numbers, std::byte* to, LossLanes& loss) {
  using C = Code<bytes>;
  double largest = 0;
  for (int i = 0; i < block; ++i)
    if (std::isfinite(numbers[i])) largest = std::max(largest, std::abs(static_cast<double>(numbers[i])));
  const int exponent = C::exponent(std::min(largest, std::numeric_limits<double>::max() / 2)) + 1;
  const double scale = power_of_two(exponent), inverse = power_of_two(-exponent);
  store(to, static_cast<std::uint16_t>((exponent + exponent_bias) | unusual_bit));
  for (int i = 0; i < block; ++i) {
    std::uint64_t word = std::isnan(numbers[i]) ? 0 : numbers[i] < 0 ? 1 : C::top;
    if (std::isfinite(numbers[i])) {
      const double exact = static_cast<double>(numbers[i]) * inverse;
      const double rounded = exact + C::magic;
      const double error = ((rounded - C::magic) - exact) * scale;
      loss.error[0] += error * error;
      loss.sent[0] += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
      word = bits_of(rounded);
    }
    C::put(word, to + 2 + i * bytes);
  }
}

/// Writes one block, and up to 8 bytes behind it.
template <int bytes, class Real>
void shorten_block(const Real* numbers, std::byte* to, LossLanes& loss) {
  using C = Code<bytes>;
  const double largest = largest_of(numbers);
  if (!(largest < std::numeric_limits<Real>::max() / 2)) return shorten_unusual<bytes>(numbers, to, loss);
  const int exponent = C::exponent(largest);
  const double scale = power_of_two(exponent);
  const Twin inverse = both(power_of_two(-exponent)), magic = both(C::magic);
  Twin error{}, sent{};
  std::array<std::uint64_t, block> words;
  for (std::size_t i = 0; i < twins; ++i) {
    const Twin exact = load_twin(numbers + 2 * i) * inverse;
    const Twin rounded = exact + magic;
    const Twin wrong = (rounded - magic) - exact;
    error += wrong * wrong;
    sent += exact * exact;
    std::memcpy(&words[2 * i], &rounded, sizeof(rounded));
  }
  if (std::isnan(sum(sent))) return shorten_unusual<bytes>(numbers, to, loss);
  loss.error += error * both(scale) * both(scale);
  loss.sent += sent * both(scale) * both(scale);
  store(to, static_cast<std::uint16_t>(exponent + exponent_bias));
  for (int i = 0; i < block; ++i) C::put(words[static_cast<std::size_t>(i)], to + 2 + i * bytes);
}

template <int bytes, class Real>
void restore_unusual(const std::byte* from, double scale, Real* numbers) {
  using C = Code<bytes>;
  for (int i = 0; i < block; ++i) {
    const std::uint64_t word = C::get(from + 2 + i * bytes);
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    constexpr double most = std::numeric_limits<Real>::max();
    const double number = (bits_as_double(word | C::of_two_to_52) - C::magic) * scale;
    numbers[i] = word == 0        ? std::numeric_limits<Real>::quiet_NaN()
                 : word == 1      ? -infinity
                 : word == C::top ? infinity
                                  : static_cast<Real>(std::clamp(number, -most, most));
  }
}

/// Reads one block, and up to 8 bytes behind it.
template <int bytes, class Real>
void restore_block(const std::byte* from, Real* numbers) {
  using C = Code<bytes>;
  const int header = load<std::uint16_t>(from);
  const double scale = power_of_two((header & ~unusual_bit) - exponent_bias);
  if ((header & unusual_bit) != 0) return restore_unusual<bytes>(from, scale, numbers);
  for (int i = 0; i < block; ++i)
    numbers[i] = static_cast<Real>((bits_as_double(C::get(from + 2 + i * bytes) | C::of_two_to_52) - C::magic) * scale);
}

}  // namespace shardfft::kernel
