#pragma once
// Numbers in fewer bytes, for messages: blocks of integers with one power of two a block as their scale.
#include <cstddef>
#include <cstdint>
#include <string>

#include "shardfft/types.hpp"

namespace shardfft {

/// How the numbers of a message are written: 2 bytes with the scale of each block, and `bytes` for each number. The
/// largest number of a block has a significant bit in the highest byte, so that the error of each is at most
/// largest / 2^(8 bytes - 1). Integers of less bits are exact, whatever power of two they are multiplied by; blocks
/// with infinities or NaN keep these, with one bit less for the others. Numbers far below 1e-300 count as zero.
struct ShortNumbers {
  Precision precision = Precision::f64;  ///< of the numbers in memory
  int bytes = 0;                         ///< of one in a message; 0: as in memory

  /// Numbers that share a scale.
  static constexpr std::int64_t block = 16;

  bool active() const { return bytes > 0; }
  std::size_t number_bytes() const { return precision == Precision::f64 ? 8 : 4; }
  /// Bytes of a run of so many numbers.
  std::size_t run_bytes(std::int64_t numbers) const;
  /// The largest sqrt(sum of squared errors / sum of squares) of any run.
  double most_error() const;
  /// For descriptions of what moves them; empty where they are inactive.
  std::string text() const { return active() ? ", " + std::to_string(bytes) + " bytes a number" : ""; }
};

/// The fewest bytes with which the errors of so many reshapes, one after the other, sum up to the tolerance at most;
/// inactive where these are more than three quarters of what the numbers have.
ShortNumbers choose_short_numbers(Precision precision, double tolerance, int reshapes);

/// What was lost of the numbers that were sent: sums of squares.
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
