#pragma once
// Kernels of operators with CUDA source text. Where a build has no compiler for kernels, factor_code() throws.
#include <string>

#include "pack/spectral_factors.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device {

/// The program of the kernel "multiply": the factors' terms, one after the other, and the texts they call. It depends
/// on neither the extents nor the numbers.
std::string factor_source(const SpectralFactors& factors, ElementType element);
/// Its machine code for compute capability `architecture` (90: 9.0), from the cache where it is there. Throws Error:
/// unsupported where there is no compiler, invalid_argument with what it says of a text.
std::string factor_code(const SpectralFactors& factors, ElementType element, int architecture);

}  // namespace shardfft::device
