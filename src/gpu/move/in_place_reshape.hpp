#pragma once
// Changes of layout inside one array of each member, with little memory beside it.
#include <string>

#include "gpu/move/exchange.hpp"

namespace shardfft::gpu {

/// Moves pages (reshape/paged_reshape.hpp), which the exchange `name` sends round by round. Collective. Throws like
/// make_device_reshape(), and Error(unsupported) if elements change their order in memory.
MemberOperations make_in_place_reshape(const std::string& name, const DeviceReshapeSetup& setup);

}  // namespace shardfft::gpu
