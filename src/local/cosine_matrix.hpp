#pragma once
// Cosine and sine transforms by their definition.
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// The matrix of a transform of n points, n x n in row-major order: result k is the sum over j of entry (k, j) times
/// input j. The definitions are those of SciPy's dct and dst without a norm, which are FFTW's REDFT and RODFT.
std::vector<long double> cosine_matrix(AxisTransform type, std::int64_t n);

}  // namespace shardfft
