// device/facts.hpp by the CUDA runtime.
#include "device/facts.hpp"

#include <map>
#include <mutex>

#include "device/cuda/calls.hpp"
#include "device/cuda/compiled_for.hpp"

namespace shardfft::device {

namespace {

std::size_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

/// Boxes are copied by one thread. The runtime has no name for this attribute. Clusters came with the same hardware.
bool copies_boxes(int device) {
  static auto* const ask = driver_function<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
  int boxes = 0;
  if (ask(&boxes, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, device) != CUDA_SUCCESS) return false;
  return boxes != 0 && attribute(cudaDevAttrClusterLaunch, device) != 0;
}

/// A link with atomic operations in a peer's memory is more than a bus.
PeerLink link_of(int device) {
  PeerLink best = PeerLink::none;
  for (int peer = 0; peer < device_count(); ++peer) {
    int reached = 0, atomics = 0;
    if (peer == device) continue;
    check(cudaDeviceCanAccessPeer(&reached, device, peer), "cudaDeviceCanAccessPeer");
    if (reached == 0) continue;
    check(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, device, peer),
          "cudaDeviceGetP2PAttribute");
    if (atomics != 0) return PeerLink::direct;
    best = PeerLink::bus;
  }
  return best;
}

DeviceFacts ask(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceFacts facts;
  facts.name = properties.name;
  facts.memory_bytes = properties.totalGlobalMem;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.shared_bytes_a_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  facts.shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  facts.registers = static_cast<int>(attribute(cudaDevAttrMaxRegistersPerMultiprocessor, device));
  facts.threads = static_cast<int>(attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device));
  facts.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
  facts.bulk_copies = copies_boxes(device) && compiled_for() >= 90 && bulk_copies_wanted();
  facts.peer_link = link_of(device);
  return facts;
}

}  // namespace

std::optional<Chips> likely_chips() {
  static const std::optional<Chips> found = chips_on_bus("/sys/bus/pci/devices");
  return found;
}

const DeviceFacts& facts(int device) {
  static std::mutex mutex;
  static std::map<int, DeviceFacts> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(device);
  return found != known.end() ? found->second : known.emplace(device, ask(device)).first->second;
}

}  // namespace shardfft::device
