#pragma once
// What is better done otherwise on GPUs than algorithms say, who write programs for CPUs.
#include "exec/compile.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

/// The program with neighbouring local transforms joined, which cuFFT and line passes cut as suits them, and with
/// orders in memory that transform without copies: natural order where the slab engine or line passes then run, else
/// the transformed axis slowest, so that its lines are one strided batch. setup.exchange is a name, never "auto".
/// Collective.
Program device_program(const ExecutorSetup& setup, const Team& team);

}  // namespace shardfft::gpu
