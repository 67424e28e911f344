#pragma once
// What src/api needs of the GPU part, which a build may lack (src/api/gpu_missing.cpp).
#include <memory>
#include <vector>

#include "pack/spectral_factors.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft::gpu {

/// Begins to compile kernels of plans for such arrays, one in each of `processes`, of which a GPU has one: the driver
/// of the GPUs takes a second to be set up. Nothing depends on it; the architecture is that of this machine's GPUs, as
/// far as it can be told.
void begin_kernels(KernelsFor plans, int processes);

/// Throws Error unless this process could use GPU `device` (-1: any); does not communicate.
void check_device(int device);
/// A runner whose ranks are `devices`, all in this process, and setup.comm is not used; without devices one rank a
/// process of setup.comm, on the GPU that options.device says. For programs like this one. Collective.
std::unique_ptr<Runner> make_runner(ExecutorSetup setup, const Program& program, const std::vector<int>& devices);

/// Compiles, for a member's GPU, the texts of an operator. Throws Error with what the compiler says.
void prepare_operator(const MemberPlace& place, const SpectralFactors& factors, ElementType element);

/// Copies what a member's runs have left in an array to memory of the host, and waits for it.
void fetch(const MemberPlace& place, const void* array, std::byte* to, std::size_t bytes);
/// The way back.
void bring(const MemberPlace& place, const std::byte* from, void* array, std::size_t bytes);

}  // namespace shardfft::gpu
