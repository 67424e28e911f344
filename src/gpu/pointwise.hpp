#pragma once
// Kernels that touch every element once, enqueued on a stream of the current device. Pointers are device memory.
#include <cstddef>
#include <cstdint>

#include "algorithm/program.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

/// data[i] *= factor, `count` elements of `element`.
void scale(void* data, std::int64_t count, ElementType element, double factor, void* stream);
/// Multiplies the rank's piece of `layout` by the factors of a TwiddleStep (conjugated when backward); in == out is
/// allowed.
void twiddle(const void* in, void* out, const TwiddleStep& step, const Layout& layout, int rank, Direction direction,
             Precision precision, void* stream);
/// Real to complex (forward) or the real part of complex (backward), `count` elements, in != out.
void promote(const void* in, void* out, std::int64_t count, Direction direction, Precision precision, void* stream);
/// What HalfSpectrumStep does on the way back; in == out is allowed.
void half_spectrum(const void* in, void* out, const HalfSpectrumStep& step, const Layout& layout, int rank,
                   Precision precision, void* stream);

}  // namespace shardfft::gpu
