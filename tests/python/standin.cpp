// Fake devices for Python tests, which reach these functions with ctypes; 0 tells failure.
#include <exception>

#include "cuda/device.hpp"
#include "cuda/handles.hpp"

namespace cuda = shardfft::cuda;

extern "C" {

void* standin_stream(int device) {
  try {
    const cuda::DeviceScope scope(device);
    return cuda::create_stream();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void* standin_memory(const char* kind, int device, std::size_t bytes) {
  try {
    const cuda::DeviceScope scope(device);
    switch (kind[0]) {
      case 'm':
        return cuda::allocate_managed(bytes);
      case 'p':
        return cuda::allocate_pinned(bytes);
      default:
        return cuda::allocate(bytes);
    }
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Work that a stream does in its own time.
int standin_copy(void* to, const void* from, std::size_t bytes, int device, void* stream) {
  try {
    const cuda::DeviceScope scope(device);
    cuda::copy_bytes(to, from, bytes, stream);
    return 1;
  } catch (const std::exception&) {
    return 0;
  }
}

}  // extern "C"
