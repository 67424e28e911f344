// The public view of the GPU runtime.
#include "cuda/handles.hpp"
#include "shardfft/gpu.hpp"

namespace shardfft {

std::string gpu_support() { return cuda::runtime_name(); }

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (int device = 0; device < cuda::device_count(); ++device) names.push_back(cuda::device_name(device));
  return names;
}

MemoryPlace memory_place(const void* address) {
  if (address == nullptr) return {};
  const cuda::PointerInfo info = cuda::describe(address);
  switch (info.kind) {
    case cuda::MemoryKind::pageable:
      break;
    case cuda::MemoryKind::pinned:
      return {"pinned", -1};
    case cuda::MemoryKind::managed:
      return {"managed", info.device};
    case cuda::MemoryKind::device:
      return {"device", info.device};
  }
  return {};
}

int set_current_gpu(int device) {
  const int before = cuda::current_device();
  if (device != before) cuda::set_device(device);
  return before;
}

void order_streams(int device, void* earlier, void* stream) {
  const cuda::DeviceScope scope(device);
  const cuda::Event event = cuda::make_event();
  cuda::record(event.get(), earlier);
  cuda::wait(stream, event.get());
}

void synchronize_stream(int device, void* stream) {
  const cuda::DeviceScope scope(device);
  cuda::synchronize(stream);
}

}  // namespace shardfft
