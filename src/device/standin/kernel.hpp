#pragma once
// What the stand-in's kernels have in common.
#include <functional>
#include <string>
#include <vector>

#include "device/standin/memory.hpp"

namespace shardfft::device::standin {

/// Enqueues `work` on `stream`, of the current device as kernels demand it. When it runs, all that it touches must be
/// memory that kernels of the device may use.
void enqueue_kernel(void* stream, std::string name, std::vector<Access> touched, std::function<void()> work);

}  // namespace shardfft::device::standin
