// Line passes in double precision.
#include "cuda/lines/recipes.cuh"

namespace shardfft::cuda::lines {

const Variant* find_f64(int n) { return find_variant<double>(n); }

}  // namespace shardfft::cuda::lines
