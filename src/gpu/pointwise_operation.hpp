#pragma once
// The steps that touch every element once, and the copy of programs that do nothing, as operations.
#include <memory>

#include "geometry/factors.hpp"
#include "gpu/operation.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft::gpu {

std::unique_ptr<DeviceOperation> make_twiddle(const TwiddleFactors& factors, const Layout& layout, int rank,
                                              Direction direction, Precision precision);
std::unique_ptr<DeviceOperation> make_promote(std::int64_t count, Direction direction, Precision precision);
std::unique_ptr<DeviceOperation> make_half_spectrum(const HalfSpectrum& modes, const Layout& layout, int rank,
                                                    Precision precision);
std::unique_ptr<DeviceOperation> make_copy(std::size_t bytes);

}  // namespace shardfft::gpu
