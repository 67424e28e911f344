#pragma once
// Ends of halved lines before cuFFT takes them.
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

/// Takes the Hermitian part, along the other axes, of the first numbers of the lines of the last axis and, where n is
/// even, of the last ones: what a transform along the other axes and then c2r of lines, which need no imaginary parts
/// there, make of any half spectrum. What cuFFT's c2r makes of another part depends on the lengths and the batch.
void make_ends_hermitian(void* spectra, const HalfSpectra& shape, Precision precision, void* stream);

}  // namespace shardfft::device
