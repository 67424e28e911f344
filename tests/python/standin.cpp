// Fake devices for Python tests, which reach these functions with ctypes; 0 tells failure.
#include <exception>

#include "device/handles.hpp"
#include "device/runtime.hpp"

namespace device = shardfft::device;

extern "C" {

void* standin_stream(int device) {
  try {
    const device::DeviceScope scope(device);
    return device::create_stream();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void* standin_memory(const char* kind, int device, std::size_t bytes) {
  try {
    const device::DeviceScope scope(device);
    switch (kind[0]) {
      case 'm':
        return device::allocate_managed(bytes);
      case 'p':
        return device::allocate_pinned(bytes);
      default:
        return device::allocate(bytes);
    }
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Work that a stream does in its own time.
int standin_copy(void* to, const void* from, std::size_t bytes, int device, void* stream) {
  try {
    const device::DeviceScope scope(device);
    device::copy_bytes(to, from, bytes, stream);
    return 1;
  } catch (const std::exception&) {
    return 0;
  }
}

}  // extern "C"
