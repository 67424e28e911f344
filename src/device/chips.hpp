#pragma once
// Which GPUs a machine has, by what its bus tells of them: the driver, which knows more, takes a second to be set up.
#include <optional>
#include <string>

namespace shardfft::device {

/// The compute capability (90: 9.0) that NVIDIA's GPUs on a bus have in common, by the families of their chips; none
/// where there are none, several, or one that is not known here. `folder` is like Linux's /sys/bus/pci/devices.
std::optional<int> architecture_on_bus(const std::string& folder);

}  // namespace shardfft::device
