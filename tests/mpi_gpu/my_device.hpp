#pragma once
// Ranks take the devices in turns.
#include "device/runtime.hpp"
#include "support/world.hpp"

namespace shardfft::test {

inline int my_device() { return world().rank() % device::device_count(); }

}  // namespace shardfft::test
