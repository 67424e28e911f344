// The public view of the GPU runtime.
#include <map>

#include "device/handles.hpp"
#include "shardfft/gpu.hpp"

namespace shardfft {

std::string gpu_support() { return device::runtime_name(); }

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (int device = 0; device < device::device_count(); ++device) names.push_back(device::device_name(device));
  return names;
}

MemoryPlace memory_place(const void* address) {
  if (address == nullptr || device::device_count() == 0) return {};
  const device::PointerInfo info = device::describe(address);
  switch (info.kind) {
    case device::MemoryKind::pageable:
      break;
    case device::MemoryKind::pinned:
      return {"pinned", -1};
    case device::MemoryKind::managed:
      return {"managed", info.device};
    case device::MemoryKind::device:
      return {"device", info.device};
  }
  return {};
}

int set_current_gpu(int device) {
  const int before = device::current_device();
  if (device != before) device::set_device(device);
  return before;
}

namespace {

/// This thread's event on the current device, recorded: a wait is for the last record before it, so one serves all.
device::EventHandle recorded(int device, void* stream) {
  static thread_local std::map<int, device::Event> events;
  device::Event& event = events[device];
  if (!event) event = device::make_event();
  device::record(event.get(), stream);
  return event.get();
}

}  // namespace

void order_streams(int device, void* earlier, void* stream) {
  const device::DeviceScope scope(device);
  device::wait(stream, recorded(device, earlier));
}

bool stream_is_idle(int device, void* stream) {
  const device::DeviceScope scope(device);
  return device::done(recorded(device, stream));
}

void synchronize_stream(int device, void* stream) {
  const device::DeviceScope scope(device);
  device::synchronize(stream);
}

}  // namespace shardfft
