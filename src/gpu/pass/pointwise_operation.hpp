#pragma once
// Operations for steps that touch every element once, and for the copy of programs that do nothing.
#include <memory>

#include "algorithm/program.hpp"
#include "gpu/operation.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

/// The operation of such a step of `rank` between two states; null for steps of other kinds.
std::unique_ptr<DeviceOperation> make_pointwise(const Step& step, const State& before, const State& after, int rank,
                                                Precision precision);
std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes);

}  // namespace shardfft::gpu
