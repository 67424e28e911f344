#pragma once
// Which steps of a program are a transform of the slab engine.
#include <optional>

#include "algorithm/program.hpp"
#include "gpu/slab/slab_shape.hpp"

namespace shardfft::gpu {

/// The engine's shape of three steps; nothing where they are not its transform. Woven: the axis that is cut first is
/// the middle one.
std::optional<SlabShape> slab_shape_of(const Program& program, int first, Precision precision);
/// The same for these steps or for what they are the reverse of.
std::optional<SlabShape> slab_shape_of_either(const Program& program, int first, Precision precision);

}  // namespace shardfft::gpu
