#pragma once
// Finds the GPUs of a machine by their entries on its bus. The driver knows more, but takes a second to start.
#include <optional>
#include <string>

namespace shardfft::device {

struct Chips {
  int count = 0;
  int architecture = 0;  ///< the compute capability of all of them (90: 9.0), by chip family
};
/// NVIDIA's GPUs on a bus. Returns nothing if there are none, if they are of several families, or if a family is
/// unknown here. `folder` is like Linux's /sys/bus/pci/devices.
std::optional<Chips> chips_on_bus(const std::string& folder);

}  // namespace shardfft::device
