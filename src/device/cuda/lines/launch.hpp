#pragma once
// Converts a Pass to the arguments of its kernel, and launches it. CUDA only.
#include "device/cuda/calls.hpp"
#include "device/cuda/lines/kernel_pass.hpp"
#include "device/line_pass.hpp"
#include "device/line_recipe.hpp"

namespace shardfft::device::lines {

using device::check;

/// The driver's functions that line passes call.
struct Driver {
  decltype(&cuTensorMapEncodeTiled) encode_tiled;
  decltype(&cuModuleLoadData) load_module;
  decltype(&cuModuleGetFunction) function_of;
  decltype(&cuFuncSetAttribute) set_attribute;
  decltype(&cuFuncGetAttribute) get_attribute;
  decltype(&cuOccupancyMaxActiveClusters) most_clusters;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) most_blocks;
  decltype(&cuLaunchKernelEx) launch;
};
const Driver& driver();
void check(CUresult status, const char* what);

/// A kernel on the device that was current when it was made. A persistent grid has as many clusters as the device holds
/// at once (not every multiprocessor can be in a large one).
class Kernel {
 public:
  Kernel() = default;
  Kernel(CUfunction function, int threads, int shared_bytes, int cluster);
  explicit operator bool() const { return function_ != nullptr; }
  /// `argument`: the argument of its program. `most_blocks`: 0 fills the GPU.
  void launch(const void* argument, unsigned tiles, int most_blocks, void* stream) const;

 private:
  /// `attribute` must outlive the result.
  CUlaunchConfig launch_config(int blocks, CUlaunchAttribute& attribute) const;

  CUfunction function_ = nullptr;
  int threads_ = 0, shared_bytes_ = 0, cluster_ = 1;
  int most_clusters_ = 0;  ///< single blocks, if there are no clusters
};
/// Finds a kernel that was compiled with the library.
Kernel make_kernel(const void* symbol, int threads, int shared_bytes, int cluster);

/// The arguments of a kernel's checks, if its tiles have `lines` lines.
KernelChecks kernel_checks(const PassChecks& checks, int n, int lines);
KernelInput kernel_input(const Pass& pass, const TileCut& tile);
KernelOutput kernel_output(const Pass& pass, const LineCut& line);
KernelPass kernel_pass(const Pass& pass, const TileCut& tile, const void* table);
/// Without bulk copies.
PlainPass plain_pass(const Pass& pass, const TileCut& tile, const void* table);

}  // namespace shardfft::device::lines
