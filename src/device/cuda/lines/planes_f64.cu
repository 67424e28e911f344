// Plane passes in double precision.
#include "device/cuda/lines/plane_recipes.cuh"

namespace shardfft::device::lines {

const PlaneVariant* find_planes_f64(const PlaneCut& cut) { return find_plane_variant<double>(cut); }

}  // namespace shardfft::device::lines
