#pragma once
// What programs around plans need of the GPU runtime, so that they can do without its headers.
#include <string>
#include <vector>

namespace shardfft {

/// The GPU runtime of this build, with its version; empty in builds without GPUs.
std::string gpu_support();
/// The GPUs that this process can use, by their numbers.
std::vector<std::string> gpu_names();

/// Where an address leads: `pageable`, `pinned`, `managed` or `device` memory, and the GPU of the last two (else -1).
struct MemoryPlace {
  std::string kind = "pageable";
  int device = -1;
};
MemoryPlace memory_place(const void* address);

/// Makes a GPU the calling thread's current one; returns the one before.
int set_current_gpu(int device);
/// Whatever `stream` (of GPU `device`) is given from now on begins after the work that `earlier` has now.
void order_streams(int device, void* earlier, void* stream);
/// Returns when the work that `stream` (of GPU `device`) has now is done.
void synchronize_stream(int device, void* stream);

}  // namespace shardfft
