// device.hpp by the CUDA runtime.
#include <cuda_runtime.h>

#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "cuda/device.hpp"

namespace shardfft::cuda {
namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  fail(status == cudaErrorMemoryAllocation ? Status::out_of_memory : Status::backend_failure, what, ": ",
       cudaGetErrorString(status));
}

cudaStream_t stream_of(StreamHandle stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(EventHandle event) { return static_cast<cudaEvent_t>(event); }

template <class Native>
IpcHandle bytes_of(const Native& native) {
  static_assert(sizeof native == sizeof(IpcHandle));
  IpcHandle bytes;
  std::memcpy(bytes.data(), &native, sizeof native);
  return bytes;
}
template <class Native>
Native native_of(const IpcHandle& bytes) {
  Native native;
  std::memcpy(&native, bytes.data(), sizeof native);
  return native;
}

}  // namespace

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
  // The runtime reports a second request as an error: requests are remembered.
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  const std::lock_guard<std::mutex> lock(mutex);
  if (device == peer || enabled.contains({device, peer})) return;
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, device, peer), "cudaDeviceCanAccessPeer");
  if (possible == 0) fail(Status::unsupported, "GPU ", device, " cannot reach the memory of GPU ", peer);
  const int before = current_device();
  set_device(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // by the application
  else
    check(status, "cudaDeviceEnablePeerAccess");
  set_device(before);
  enabled.insert({device, peer});
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "cudaMalloc");
  return memory;
}

void release(void* memory) noexcept { cudaFree(memory); }

bool host_uses_device_memory() { return false; }

IpcHandle export_memory(void* memory) {
  cudaIpcMemHandle_t native;
  check(cudaIpcGetMemHandle(&native, memory), "cudaIpcGetMemHandle");
  return bytes_of(native);
}

void* import_memory(const IpcHandle& handle) {
  void* memory = nullptr;
  check(cudaIpcOpenMemHandle(&memory, native_of<cudaIpcMemHandle_t>(handle), cudaIpcMemLazyEnablePeerAccess),
        "cudaIpcOpenMemHandle");
  return memory;
}

void close_memory(void* memory) noexcept { cudaIpcCloseMemHandle(memory); }

StreamHandle create_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

void destroy_stream(StreamHandle stream) noexcept { cudaStreamDestroy(stream_of(stream)); }

void synchronize(StreamHandle stream) { check(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize"); }

EventHandle create_event(EventUse use) {
  unsigned flags = cudaEventDefault;
  if (use != EventUse::timing) flags |= cudaEventDisableTiming;
  if (use == EventUse::shared) flags |= cudaEventInterprocess;
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}

void destroy_event(EventHandle event) noexcept { cudaEventDestroy(event_of(event)); }

void record(EventHandle event, StreamHandle stream) {
  check(cudaEventRecord(event_of(event), stream_of(stream)), "cudaEventRecord");
}

void wait(StreamHandle stream, EventHandle event) {
  check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "cudaStreamWaitEvent");
}

double elapsed_ms(EventHandle begin, EventHandle end) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, event_of(begin), event_of(end)), "cudaEventElapsedTime");
  return ms;
}

IpcHandle export_event(EventHandle event) {
  cudaIpcEventHandle_t native;
  check(cudaIpcGetEventHandle(&native, event_of(event)), "cudaIpcGetEventHandle");
  return bytes_of(native);
}

EventHandle import_event(const IpcHandle& handle) {
  cudaEvent_t event = nullptr;
  check(cudaIpcOpenEventHandle(&event, native_of<cudaIpcEventHandle_t>(handle)), "cudaIpcOpenEventHandle");
  return event;
}

void copy_box(const BoxCopy& copy, StreamHandle stream) {
  if (copy.bytes == 0 || copy.rows == 0 || copy.slices == 0) return;
  if (copy.slices == 1) {
    check(cudaMemcpy2DAsync(copy.to.base, copy.to.pitch, copy.from.base, copy.from.pitch, copy.bytes, copy.rows,
                            cudaMemcpyDefault, stream_of(stream)),
          "cudaMemcpy2DAsync");
    return;
  }
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(copy.from.base, copy.from.pitch, copy.bytes, copy.from.slice / copy.from.pitch);
  box.dstPtr = make_cudaPitchedPtr(copy.to.base, copy.to.pitch, copy.bytes, copy.to.slice / copy.to.pitch);
  box.extent = make_cudaExtent(copy.bytes, copy.rows, copy.slices);
  box.kind = cudaMemcpyDefault;
  check(cudaMemcpy3DAsync(&box, stream_of(stream)), "cudaMemcpy3DAsync");
}

void begin_capture(StreamHandle stream) {
  check(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
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

}  // namespace shardfft::cuda
