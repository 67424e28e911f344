// Plane passes in double precision.
#include "cuda/lines/plane_launch.cuh"

namespace shardfft::cuda::lines {

const PlaneVariant* find_planes_f64(int n) { return find_plane_variant<double>(n); }

}  // namespace shardfft::cuda::lines
