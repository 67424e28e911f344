#pragma once
// Passes over strided arrays that are not FFTs: copy, scale, conjugate.
#include "local/loops.hpp"

namespace shardfft {

/// out = factor * in over `loops`. Real to complex puts zero imaginary parts, complex to real takes real parts.
void copy_points(ElementType in_type, ElementType out_type, const Loops& loops, const void* in, void* out,
                 double factor = 1, bool conjugate = false);
/// data *= factor over the output side of `loops`.
void scale_points(ElementType type, const Loops& loops, void* data, double factor, bool conjugate);

}  // namespace shardfft
