#pragma once
// The functions of the GPU part that src/api calls. A build may lack them (src/api/gpu_missing.cpp).
#include <memory>
#include <vector>

#include "device/fields.hpp"
#include "geometry/schedule.hpp"
#include "pack/powers.hpp"
#include "pack/spectral_factors.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "shardfft/kernels.hpp"

namespace shardfft::gpu {

/// Begins to compile kernels of plans for such arrays, one plan in each of `processes` (one process a GPU). The GPUs'
/// driver takes a second to be set up; kernels compile meanwhile. Nothing depends on it. The architecture is that of
/// this machine's GPUs, if it can be found out.
void begin_kernels(KernelsFor plans, int processes);

/// Throws Error unless this process could use GPU `device` (-1: any); does not communicate.
void check_device(int device);
/// Makes a runner for programs like this one. With `devices`: its ranks are these, all in this process, and setup.comm
/// is not used. Without: one rank a process of setup.comm, on the GPU of options.device. Collective.
std::unique_ptr<Runner> make_runner(ExecutorSetup setup, const Program& program, const std::vector<int>& devices);

/// Compiles the texts of an operator for a member's GPU. Throws Error with the compiler's message.
void prepare_operator(const MemberPlace& place, const SpectralFactors& factors, ElementType element);

/// Copies an array of a member's runs to memory of the host, and waits for the copy.
void fetch(const MemberPlace& place, const void* array, std::byte* to, std::size_t bytes);
/// Copies memory of the host to such an array, and waits for the copy.
void bring(const MemberPlace& place, const std::byte* from, void* array, std::size_t bytes);

/// Sums over arrays in memory of a GPU, on which no work is under way (device/fields.hpp). `tables` lies on the host.
std::vector<double> sums_in_shells(int device, const void* a, const void* b, const device::ShellSums& what,
                                   const std::vector<double>& tables);
/// The powers of each of `fields` arrays of `count` numbers.
std::vector<Powers> powers_of(int device, const void* array, std::int64_t count, std::int64_t fields,
                              Precision precision);

/// Enqueue additions on a member's stream, one after the other (device/fields.hpp).
void add_boxes(const MemberPlace& place, const std::byte* source, std::byte* destination,
               const std::vector<LocalCopy>& boxes, ElementType element);
void clear_boxes(const MemberPlace& place, std::byte* array, const std::vector<Box>& boxes, ElementType element);

/// Multiplies an array by factors of axes (device::computes()), and waits.
void multiply(const MemberPlace& place, const void* in, void* out, const SpectralFactors& factors,
              const std::vector<Piece>& pieces, ElementType element);

}  // namespace shardfft::gpu
