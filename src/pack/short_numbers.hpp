#pragma once
// Numbers in fewer bytes, for messages: blocks of integers, each with a power of two as its scale.
#include <cstddef>
#include <cstdint>
#include <string>

#include "shardfft/types.hpp"

namespace shardfft {

/// The format of numbers in a message: 2 bytes with the scale of each block, and `bytes` for each number. The largest
/// number of a block has a significant bit in the highest byte: the error of each number is at most largest / 2^(8
/// bytes - 1). Integers of fewer bits times any power of two are exact. Blocks with infinities or NaN keep these; the
/// other numbers have one bit less. Numbers far below 1e-300 become zero.
struct ShortNumbers {
  Precision precision = Precision::f64;  ///< of the numbers in memory
  int bytes = 0;                         ///< of a number in a message; 0: as in memory

  /// Numbers that share a scale.
  static constexpr std::int64_t block = 16;

  bool active() const { return bytes > 0; }
  std::size_t number_bytes() const { return precision == Precision::f64 ? 8 : 4; }
  /// Bytes of a run of `numbers` numbers.
  std::size_t run_bytes(std::int64_t numbers) const;
  /// The largest sqrt(sum of squared errors / sum of squares) of any run.
  double most_error() const;
  /// For descriptions of reshapes; empty if inactive.
  std::string text() const { return active() ? ", " + std::to_string(bytes) + " bytes a number" : ""; }
};

/// The fewest bytes with which the errors of `reshapes` reshapes in sequence add up to at most the tolerance. Inactive
/// if these are more than three quarters of the bytes in memory.
ShortNumbers choose_short_numbers(Precision precision, double tolerance, int reshapes);

/// Sums of squares of the errors and of the numbers that were sent.
struct Loss {
  double error = 0;
  double sent = 0;

  Loss& operator+=(const Loss& other) {
    error += other.error;
    sent += other.sent;
    return *this;
  }
};

}  // namespace shardfft
