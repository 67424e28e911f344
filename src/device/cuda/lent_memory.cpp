#include "device/cuda/lent_memory.hpp"

#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>

#include "base/lent_descriptor.hpp"
#include "base/round_up.hpp"
#include "base/succeeds.hpp"
#include "device/cuda/calls.hpp"
#include "device/handles.hpp"

namespace shardfft::device::lent {

namespace {

/// The name of an allocation for other processes.
struct Name {
  std::uint64_t what = 0;
  LentTicket ticket;
  std::uint64_t bytes = 0;
  static constexpr std::uint64_t memory = 0x5348415244464d44;
};

struct Mapping {
  std::size_t bytes = 0;
  std::uint64_t id = 0;
  int device = 0;
  bool imported = false;
  CUmemGenericAllocationHandle memory{};
  std::unique_ptr<LentDescriptor> descriptor{};  ///< made by the first export
};

struct Table {
  std::mutex mutex;
  std::map<std::byte*, Mapping> mappings;
  std::uint64_t last_id = std::uint64_t{1} << 63;  // the driver's numbers are smaller
};
Table& table() {
  static Table& one = *new Table;  // never destroyed: handles may live in other statics
  return one;
}

/// Memory of a device from which descriptors can be made.
CUmemAllocationProp properties(int device) {
  const auto has = [device](CUdevice_attribute what) {
    int value = 0;
    driver_call<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute", &value, what, CUdevice{device});
    return value != 0;
  };
  if (!has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) ||
      !has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
    fail(Status::unsupported, "GPU ", device, " gives out no file descriptors of its memory");
  CUmemAllocationProp all{};
  all.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  all.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  all.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  all.allocFlags.gpuDirectRDMACapable = has(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED) ? 1 : 0;
  return all;
}

void unmap(CUdeviceptr at, const Mapping& mapping) {
  succeeds([&] { driver_call<decltype(cuMemUnmap)>("cuMemUnmap", at, mapping.bytes); });
  succeeds([&] { driver_call<decltype(cuMemAddressFree)>("cuMemAddressFree", at, mapping.bytes); });
  succeeds([&] { driver_call<decltype(cuMemRelease)>("cuMemRelease", mapping.memory); });
}

/// Maps memory where the current device may use it, or releases it.
void* map(CUmemGenericAllocationHandle memory, std::size_t bytes, bool imported) {
  const int device = current_device();
  Mapping mapping{bytes, 0, device, imported, memory};
  CUdeviceptr at = 0;
  try {
    driver_call<decltype(cuMemAddressReserve)>("cuMemAddressReserve", &at, bytes, std::size_t{0}, CUdeviceptr{0}, 0ULL);
    driver_call<decltype(cuMemMap)>("cuMemMap", at, bytes, std::size_t{0}, memory, 0ULL);
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {device}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    driver_call<decltype(cuMemSetAccess)>("cuMemSetAccess", at, bytes, &access, std::size_t{1});
  } catch (...) {
    unmap(at, mapping);
    throw;
  }
  auto* const base = reinterpret_cast<std::byte*>(at);
  const std::lock_guard<std::mutex> lock(table().mutex);
  mapping.id = ++table().last_id;
  table().mappings[base] = std::move(mapping);
  return base;
}

}  // namespace

void* allocate(std::size_t bytes) {
  check(cudaFree(nullptr), "cudaFree");  // begins the work with the device, if nothing has yet
  const CUmemAllocationProp how = properties(current_device());
  std::size_t unit = 0;
  driver_call<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity", &unit, &how,
                                                       CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  bytes = round_up(std::max<std::size_t>(bytes, 1), unit);
  CUmemGenericAllocationHandle memory{};
  driver_call<decltype(cuMemCreate)>("cuMemCreate", &memory, bytes, &how, 0ULL);
  return map(memory, bytes, false);
}

bool release(void* memory) {
  Mapping mapping;
  {
    const std::lock_guard<std::mutex> lock(table().mutex);
    const auto found = table().mappings.find(static_cast<std::byte*>(memory));
    if (found == table().mappings.end()) return false;
    mapping = std::move(found->second);
    table().mappings.erase(found);
  }
  mapping.descriptor.reset();  // it would keep the memory
  if (!mapping.imported)
    succeeds([&] {  // as cudaFree does
      const DeviceScope scope(mapping.device);
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    });
  unmap(reinterpret_cast<CUdeviceptr>(memory), mapping);
  return true;
}

std::optional<Allocation> find(const void* pointer) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  const auto* const byte = static_cast<const std::byte*>(pointer);
  auto next = table().mappings.upper_bound(const_cast<std::byte*>(byte));
  if (next == table().mappings.begin()) return std::nullopt;
  const auto& [base, mapping] = *--next;
  if (byte >= base + mapping.bytes) return std::nullopt;
  return Allocation{base, mapping.bytes, mapping.imported ? std::nullopt : std::optional(Sharing::descriptors),
                    mapping.id};
}

IpcHandle export_memory(void* memory) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  Mapping& mapping = table().mappings.at(static_cast<std::byte*>(memory));
  if (!mapping.descriptor) {
    int descriptor = -1;
    driver_call<decltype(cuMemExportToShareableHandle)>("cuMemExportToShareableHandle", static_cast<void*>(&descriptor),
                                                        mapping.memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0ULL);
    mapping.descriptor = std::make_unique<LentDescriptor>(descriptor);
  }
  return bytes_of(Name{Name::memory, mapping.descriptor->ticket(), mapping.bytes});
}

void* import(const IpcHandle& handle) {
  const auto name = name_of<Name>(handle);
  if (name.what != Name::memory) return nullptr;
  const int descriptor = borrow_descriptor(name.ticket);
  CUmemGenericAllocationHandle memory{};
  const bool imported = succeeds([&] {
    driver_call<decltype(cuMemImportFromShareableHandle)>("cuMemImportFromShareableHandle", &memory,
                                                          reinterpret_cast<void*>(std::intptr_t{descriptor}),
                                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  });
  ::close(descriptor);
  if (!imported) fail(Status::backend_failure, "a descriptor of another process is not one of memory of a GPU");
  return map(memory, name.bytes, true);
}

}  // namespace shardfft::device::lent
