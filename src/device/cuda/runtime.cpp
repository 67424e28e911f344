// device/runtime.hpp by the CUDA runtime.
#include "device/runtime.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "device/cuda/calls.hpp"
#include "device/cuda/counted_event.hpp"
#include "device/cuda/lent_memory.hpp"
#include "device/handles.hpp"

namespace shardfft::device {
namespace {

cudaEvent_t event_of(EventHandle event) { return static_cast<cudaEvent_t>(event); }

/// Allocations of other processes that are open here and cannot be exported again.
class Imported {
 public:
  void add(void* base) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bases_.insert(base);
  }
  void remove(void* base) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = bases_.find(base); found != bases_.end()) bases_.erase(found);
  }
  bool has(void* base) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bases_.contains(base);
  }

 private:
  std::mutex mutex_;
  std::multiset<void*> bases_;  // one allocation may be open several times
};
Imported& imported() {
  static Imported all;
  return all;
}

/// The target of a prefetch is a cudaMemLocation in CUDA 13 and a device's number in CUDA 12.
template <class Prefetch>
cudaError_t prefetch_to(Prefetch function, int device, const void* memory, std::size_t bytes, cudaStream_t stream) {
  if constexpr (std::is_invocable_v<Prefetch, const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t>) {
    cudaMemLocation place{};
    place.type = cudaMemLocationTypeDevice;
    place.id = device;
    return function(memory, bytes, place, 0, stream);
  } else {
    return function(memory, bytes, device, stream);
  }
}

}  // namespace

std::string runtime_name() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int device_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    return 0;
  }
  check(status, "cudaGetDeviceCount");
  return count;
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

void set_device(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

void enable_peer(int device, int peer) {
  // Requests are remembered, because the runtime reports a second one as an error.
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  const std::lock_guard<std::mutex> lock(mutex);
  if (device == peer || enabled.contains({device, peer})) return;
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, device, peer), "cudaDeviceCanAccessPeer");
  if (possible == 0) fail(Status::unsupported, "GPU ", device, " cannot reach the memory of GPU ", peer);
  const DeviceScope scope(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // by the application
  else
    check(status, "cudaDeviceEnablePeerAccess");
  enabled.insert({device, peer});
}

std::string device_name(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return std::string(properties.name) + ", CUDA driver " + std::to_string(driver / 1000) + "." +
         std::to_string(driver % 1000 / 10);
}

MemoryInfo memory_info() {
  MemoryInfo info;
  check(cudaMemGetInfo(&info.free, &info.total), "cudaMemGetInfo");
  return info;
}

void* allocate(std::size_t bytes, Sharing sharing) {
  if (sharing == Sharing::descriptors) return lent::allocate(bytes);
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes == 0 ? 1 : in_whole_pages(bytes)), "cudaMalloc");
  return memory;
}

void release(void* memory) noexcept {
  if (!lent::release(memory)) cudaFree(memory);
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes == 0 ? 1 : bytes, cudaHostAllocPortable), "cudaHostAlloc");
  return memory;
}

void release_pinned(void* memory) noexcept { cudaFreeHost(memory); }

void* allocate_managed(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocManaged(&memory, bytes == 0 ? 1 : bytes), "cudaMallocManaged");
  return memory;
}

void release_managed(void* memory) noexcept { cudaFree(memory); }

void register_host(void* memory, std::size_t bytes) {
  check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable), "cudaHostRegister");
}

void unregister_host(void* memory) noexcept {
  if (cudaHostUnregister(memory) != cudaSuccess) cudaGetLastError();
}

void prefetch(void* managed, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  check(prefetch_to(&cudaMemPrefetchAsync, current_device(), managed, bytes, stream_of(stream)),
        "cudaMemPrefetchAsync");
}

PointerInfo describe(const void* pointer) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  PointerInfo info;
  if (attributes.type == cudaMemoryTypeUnregistered) return info;
  info.device = attributes.device;
  if (attributes.type == cudaMemoryTypeHost) info.kind = MemoryKind::pinned;
  if (attributes.type == cudaMemoryTypeManaged) info.kind = MemoryKind::managed;
  if (attributes.type == cudaMemoryTypeDevice) info.kind = MemoryKind::device;
  return info;
}

Allocation allocation_of(const void* pointer) {
  static auto* const range = driver_function<decltype(cuMemGetAddressRange)>("cuMemGetAddressRange");
  static auto* const attribute = driver_function<decltype(cuPointerGetAttribute)>("cuPointerGetAttribute");
  if (const std::optional<Allocation> lent = lent::find(pointer)) return *lent;
  Allocation found;
  const PointerInfo info = describe(pointer);
  if (info.kind != MemoryKind::device) return found;
  const DeviceScope scope(info.device);  // the driver looks in the current device's context
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  CUdeviceptr base = 0;
  if (range(&base, &found.bytes, address) != CUDA_SUCCESS) return {};
  found.base = reinterpret_cast<void*>(base);
  unsigned long long id = 0;
  if (attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, address) == CUDA_SUCCESS) found.id = id;
  unsigned long long capable = 0;  // memory of pools and of the virtual memory functions cannot be exported this way
  const CUresult status = attribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address);
  if (status == CUDA_SUCCESS && capable != 0 && !imported().has(found.base)) found.sharing = Sharing::ipc;
  return found;
}

bool host_uses_device_memory() { return false; }

IpcHandle export_memory(void* memory) {
  if (lent::find(memory)) return lent::export_memory(memory);
  cudaIpcMemHandle_t native;
  check(cudaIpcGetMemHandle(&native, memory), "cudaIpcGetMemHandle");
  return bytes_of(native);
}

void* import_memory(const IpcHandle& handle) {
  void* memory = lent::import(handle);
  if (memory != nullptr) return memory;
  check(cudaIpcOpenMemHandle(&memory, name_of<cudaIpcMemHandle_t>(handle), cudaIpcMemLazyEnablePeerAccess),
        "cudaIpcOpenMemHandle");
  imported().add(memory);
  return memory;
}

void close_memory(void* memory) noexcept {
  if (lent::release(memory)) return;
  imported().remove(memory);
  cudaIpcCloseMemHandle(memory);
}

StreamHandle create_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

void destroy_stream(StreamHandle stream) noexcept { cudaStreamDestroy(stream_of(stream)); }

int device_of_stream(StreamHandle stream) {
  static auto* const context_of = driver_function<decltype(cuStreamGetCtx)>("cuStreamGetCtx");
  static auto* const push = driver_function<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent");
  static auto* const device_of = driver_function<decltype(cuCtxGetDevice)>("cuCtxGetDevice");
  static auto* const pop = driver_function<decltype(cuCtxPopCurrent)>("cuCtxPopCurrent");
  CUcontext context = nullptr;
  CUdevice device = 0;
  bool known = context_of(stream_of(stream), &context) == CUDA_SUCCESS && push(context) == CUDA_SUCCESS;
  if (known) {
    known = device_of(&device) == CUDA_SUCCESS;
    pop(&context);
  }
  if (!known) fail(Status::invalid_argument, "the runtime does not know this stream");
  return device;
}

void synchronize(StreamHandle stream) { check(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize"); }

EventHandle create_event(EventUse use) {
  if (use == EventUse::counted) return counted::create();
  unsigned flags = cudaEventDefault;
  if (use != EventUse::timing) flags |= cudaEventDisableTiming;
  if (use == EventUse::shared) flags |= cudaEventInterprocess;
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}

void destroy_event(EventHandle event) noexcept {
  if (counted::is(event)) return counted::destroy(event);
  cudaEventDestroy(event_of(event));
}

void record(EventHandle event, StreamHandle stream) {
  if (counted::is(event)) return counted::record(event, stream);
  check(cudaEventRecord(event_of(event), stream_of(stream)), "cudaEventRecord");
}

void wait(StreamHandle stream, EventHandle event) {
  if (counted::is(event)) return counted::wait(stream, event);
  check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "cudaStreamWaitEvent");
}

bool done(EventHandle event) {
  if (counted::is(event)) return counted::done(event);
  const cudaError_t status = cudaEventQuery(event_of(event));
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  check(status, "cudaEventQuery");
  return true;
}

double elapsed_ms(EventHandle begin, EventHandle end) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, event_of(begin), event_of(end)), "cudaEventElapsedTime");
  return ms;
}

IpcHandle export_event(EventHandle event) {
  if (counted::is(event)) return counted::export_event(event);
  cudaIpcEventHandle_t native;
  check(cudaIpcGetEventHandle(&native, event_of(event)), "cudaIpcGetEventHandle");
  return bytes_of(native);
}

EventHandle import_event(const IpcHandle& handle) {
  if (EventHandle event = counted::import(handle); event != nullptr) return event;
  cudaEvent_t event = nullptr;
  check(cudaIpcOpenEventHandle(&event, name_of<cudaIpcEventHandle_t>(handle)), "cudaIpcOpenEventHandle");
  return event;
}

void begin_capture(StreamHandle stream) {
  check(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
}

bool is_captured(StreamHandle stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream_of(stream), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

GraphHandle end_capture(StreamHandle stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamEndCapture(stream_of(stream), &graph), "cudaStreamEndCapture");
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "cudaGraphInstantiate");
  return executable;
}

void launch(GraphHandle graph, StreamHandle stream) {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(stream)), "cudaGraphLaunch");
}

void destroy_graph(GraphHandle graph) noexcept { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)); }

}  // namespace shardfft::device
