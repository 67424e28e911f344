// Line passes in single precision.
#include "cuda/lines/recipes.cuh"

namespace shardfft::cuda::lines {

const Variant* find_f32(int n) { return find_variant<Twin>(n); }

}  // namespace shardfft::cuda::lines
