#pragma once
// Which GPUs a machine has, by what its bus tells of them: the driver, which knows more, takes a second to be set up.
#include <optional>
#include <string>

namespace shardfft::device {

struct Chips {
  int count = 0;
  int architecture = 0;  ///< the compute capability that they have in common (90: 9.0), by the families of chips
};
/// NVIDIA's GPUs on a bus; nothing where there are none, or they are of several families, or of one that is not known
/// here. `folder` is like Linux's /sys/bus/pci/devices.
std::optional<Chips> chips_on_bus(const std::string& folder);

}  // namespace shardfft::device
