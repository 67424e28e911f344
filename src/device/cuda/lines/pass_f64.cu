// Line passes in double precision.
#include "device/cuda/lines/recipes.cuh"

namespace shardfft::device::lines {

const Variant* find_f64(int n) { return find_variant<double>(n); }

}  // namespace shardfft::device::lines
