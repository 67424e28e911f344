#pragma once
// Kernels of operators given as CUDA source text. In a build without a kernel compiler, factor_code() throws.
#include <string>

#include "pack/spectral_factors.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device {

/// The source of the kernel "multiply": the terms of the factors in sequence, and the texts that they call. It depends
/// neither on the extents nor on the numbers.
std::string factor_source(const SpectralFactors& factors, ElementType element);
/// Its machine code for compute capability `architecture` (90: 9.0), from the cache if it is there. Throws Error:
/// unsupported without a compiler; invalid_argument, with the compiler's message, if a text does not compile.
std::string factor_code(const SpectralFactors& factors, ElementType element, int architecture);

}  // namespace shardfft::device
