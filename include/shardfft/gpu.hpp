#pragma once
// Functions of the GPU runtime for programs around plans, which then need not include its headers.
#include <string>
#include <vector>

namespace shardfft {

/// The GPU runtime of this build, with its version; empty in builds without GPUs.
std::string gpu_support();
/// The names of the GPUs that this process can use; entry i is GPU number i.
std::vector<std::string> gpu_names();

/// The kind of memory that an address is in.
struct MemoryPlace {
  std::string kind = "pageable";  ///< or "pinned", "managed", "device"
  int device = -1;                ///< the GPU of managed and device memory, else -1
};
MemoryPlace memory_place(const void* address);  ///< Asks the GPU runtime; without GPUs all memory is pageable.

/// Makes a GPU the calling thread's current one; returns the one before.
int set_current_gpu(int device);
/// Work that is given to `stream` (of GPU `device`) from now on begins after the work that `earlier` has now. Does not
/// wait.
void order_streams(int device, void* earlier, void* stream);
/// Whether the work that `stream` (of GPU `device`) has now is done. Does not wait.
bool stream_is_idle(int device, void* stream);
/// Returns when the work that `stream` (of GPU `device`) has now is done.
void synchronize_stream(int device, void* stream);

}  // namespace shardfft
