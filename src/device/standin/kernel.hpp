#pragma once
// The common part of the stand-in's kernels.
#include <functional>
#include <string>
#include <vector>

#include "device/standin/memory.hpp"

namespace shardfft::device::standin {

/// Enqueues `work` on `stream`, which must be of the current device, as for kernels. When it runs, all memory in
/// `touched` must be usable by kernels of the device.
void enqueue_kernel(void* stream, std::string name, std::vector<Access> touched, std::function<void()> work);

}  // namespace shardfft::device::standin
