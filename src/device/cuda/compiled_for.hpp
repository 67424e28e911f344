#pragma once
// Which GPUs the kernels of this build suit.

namespace shardfft::device {

/// The architecture that the current device's kernels were compiled for, 90 for compute capability 9.0: older than the
/// device where the driver translated them.
int compiled_for();

}  // namespace shardfft::device
