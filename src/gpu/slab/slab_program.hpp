#pragma once
// Which steps of a program are a transform of the slab engine.
#include <optional>

#include "algorithm/program.hpp"
#include "gpu/slab/slab_shape.hpp"

namespace shardfft::gpu {

/// The engine's shape of steps [first, first + slab_steps), or nothing if they are not its transform. They must be Fft,
/// Reshape, Fft of one three-dimensional field. Its states must lie as the engine has them: planes x, all of them local
/// but cut along x; rows y of the spectrum; natural order in memory; near-equal runs. x is the first axis and y the
/// middle one, or the other way round (woven).
std::optional<SlabShape> slab_shape_of(const Program& program, int first, Precision precision);
/// The shape of these steps, or of the steps whose reverse they are.
std::optional<SlabShape> slab_shape_of_either(const Program& program, int first, Precision precision);

}  // namespace shardfft::gpu
