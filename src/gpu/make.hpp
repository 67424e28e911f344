#pragma once
// What the interface asks of the GPU part, which a build may lack (src/api/gpu_missing.cpp).
#include <memory>
#include <vector>

#include "exec/compile.hpp"
#include "exec/runner.hpp"

namespace shardfft::gpu {

/// Throws Error unless this process could use GPU `device` (-1: any); does not communicate.
void check_device(int device);
/// The runner of a plan with one rank a process: options.device says on which GPU. Collective over setup.comm.
std::unique_ptr<Runner> make_runner(ExecutorSetup setup);
/// All ranks in this process, rank r on devices[r]. setup.comm is not used.
std::unique_ptr<Runner> make_group_runner(ExecutorSetup setup, const std::vector<int>& devices);

}  // namespace shardfft::gpu
