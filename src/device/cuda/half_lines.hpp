#pragma once
// Makes the ends of halved lines Hermitian before cuFFT transforms them.
#include <array>
#include <cstdint>

#include "shardfft/types.hpp"

namespace shardfft::device {

/// Half spectra of up to three axes, the last one halved; strides in complex numbers.
struct HalfSpectra {
  std::array<std::int64_t, 2> count{1, 1}, stride{};  ///< of the axes before the last one
  std::int64_t n = 1, last_stride = 1;                ///< of the last one: points of the whole line
  std::int64_t batch = 1, distance = 0;
};

/// Replaces the first numbers of the lines along the last axis and, if n is even, the last numbers too, by their
/// Hermitian part along the other axes. A transform along the other axes followed by c2r of lines, which ignores
/// imaginary parts there, depends on this part alone. The effect of the other part on cuFFT's c2r depends on the
/// lengths and the batch.
void make_ends_hermitian(void* spectra, const HalfSpectra& shape, Precision precision, void* stream);

}  // namespace shardfft::device
