#pragma once
// Memory of other processes, opened once in this process however many plans and buffers name it: CUDA refuses to map an
// allocation a second time.
#include <cstdint>
#include <memory>

#include "cuda/device.hpp"

namespace shardfft::gpu {

/// The allocation behind `handle`, usable on the current device as long as somebody holds it. `id` tells allocations
/// of one handle apart in time: when another one is asked for, the older has been freed by its owner and is closed.
std::shared_ptr<void> open_import(const cuda::IpcHandle& handle, std::uint64_t id);

}  // namespace shardfft::gpu
