// Line passes in single precision.
#include "device/cuda/lines/recipes.cuh"

namespace shardfft::device::lines {

const Variant* find_f32(int n) { return find_variant<Twin>(n); }

}  // namespace shardfft::device::lines
