#pragma once
// The architecture for which the kernels of this build were compiled.

namespace shardfft::device {

/// The architecture that the current device's kernels were compiled for, 90 for compute capability 9.0. It is older
/// than the device if the driver translated them.
int compiled_for();

}  // namespace shardfft::device
