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
/// lengths and the batch. All numbers are multiplied by `scale`. From `in` to `out`, which may be one array; if they
/// are and the scale is 1, it touches the ends alone.
void make_ends_hermitian(const void* in, void* out, const HalfSpectra& shape, double scale, Precision precision,
                         void* stream);
/// Random numbers of length up to 1 for the ends of all lines, whose Hermitian part is zero.
void fill_other_ends(void* spectra, const HalfSpectra& shape, Precision precision, void* stream);
/// Writes 1 to `found`, which is device memory, if one of `count` real numbers is larger than `bound`, or is none.
void find_above(const void* reals, std::int64_t count, double bound, std::int32_t* found, Precision precision,
                void* stream);

}  // namespace shardfft::device
