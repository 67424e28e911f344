// Plane passes in single precision.
#include "device/cuda/lines/plane_recipes.cuh"

namespace shardfft::device::lines {

const PlaneVariant* find_planes_f32(const PlaneCut& cut) { return find_plane_variant<Twin>(cut); }

}  // namespace shardfft::device::lines
