#pragma once
// The seam to the GPU runtime: every runtime call of the library outside of kernels goes through these functions.
// cuda/runtime.cpp and cuda/copies.cpp implement them with CUDA. standin/ implements the same header without a GPU; its
// streams reorder all work that no event orders. Handles are opaque; failures throw Error(backend_failure).
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/aligned.hpp"
#include "tune/defaults.hpp"

namespace shardfft::device {

using StreamHandle = void*;
using EventHandle = void*;
using GraphHandle = void*;
/// Plain bytes that any transport can send, with which another process opens memory or an event of this one.
using IpcHandle = std::array<unsigned char, 64>;
/// How other processes open memory and events. By `ipc` of the runtime they need the same IPC namespace. By file
/// `descriptors` (base/lent_descriptor.hpp) they need the same network namespace, the device's consent, and memory that
/// was allocated for it.
enum class Sharing { ipc, descriptors };

/// The runtime and its version: for records.
std::string runtime_name();
int device_count();
int current_device();
void set_device(int device);
/// Lets `device` use memory of `peer` directly; it may be called again. Throws unsupported if the hardware cannot.
void enable_peer(int device, int peer);

/// The kind of device, as its maker names it, with its driver: for records.
std::string device_name(int device);
/// Free and whole memory of the current device, in bytes.
struct MemoryInfo {
  std::size_t free = 0, total = 0;
};
MemoryInfo memory_info();

/// The best size of an allocation for `bytes` bytes: whole pages if it is large (GpuDefaults::large_page_bytes).
inline std::size_t in_whole_pages(std::size_t bytes) {
  const std::size_t page = gpu_defaults().large_page_bytes;
  return bytes > page ? round_up(bytes, page) : bytes;
}
/// Allocates on the current device, a whole allocation that other processes can open. On GPUs in whole pages. Other
/// devices of this process cannot use memory for Sharing::descriptors.
void* allocate(std::size_t bytes, Sharing sharing = Sharing::ipc);
void release(void* memory) noexcept;
/// Host memory that is copied at full speed and asynchronously.
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;
/// Memory that moves between host and device on demand; all kernels and the host may use it.
void* allocate_managed(std::size_t bytes);
void release_managed(void* memory) noexcept;
/// Pins memory of the user's, like that of allocate_pinned(). Throws if the system refuses.
void register_host(void* memory, std::size_t bytes);
void unregister_host(void* memory) noexcept;
/// Moves managed memory to the current device before work on `stream` needs it.
void prefetch(void* managed, std::size_t bytes, StreamHandle stream);

enum class MemoryKind { pageable, pinned, managed, device };
/// The memory that a pointer points to.
struct PointerInfo {
  MemoryKind kind = MemoryKind::pageable;
  int device = -1;
};
PointerInfo describe(const void* pointer);
/// The whole allocation around a pointer: empty, unless it is device memory of which the runtime tells.
struct Allocation {
  void* base = nullptr;
  std::size_t bytes = 0;
  std::optional<Sharing> sharing{};  ///< how export_memory(base) works, if it does
  /// A number that no other device allocation of this process ever had: new memory may get an old address.
  std::uint64_t id = 0;
};
/// Asks the driver several times.
Allocation allocation_of(const void* pointer);
/// Whether plain host code, and so any MPI library, may use memory from allocate().
bool host_uses_device_memory();
IpcHandle export_memory(void* memory);
void* import_memory(const IpcHandle& handle);
/// Only after the work that uses it is done.
void close_memory(void* memory) noexcept;

StreamHandle create_stream();
void destroy_stream(StreamHandle stream) noexcept;
/// The device that a stream belongs to; the current one for default streams.
int device_of_stream(StreamHandle stream);
void synchronize(StreamHandle stream);

/// `shared` events can be exported to other processes by Sharing::ipc, `counted` ones by Sharing::descriptors. They
/// keep no time.
enum class EventUse { order, timing, shared, counted };
inline EventUse event_use_for(Sharing sharing) {
  return sharing == Sharing::ipc ? EventUse::shared : EventUse::counted;
}
EventHandle create_event(EventUse use);
void destroy_event(EventHandle event) noexcept;
void record(EventHandle event, StreamHandle stream);
/// Later work of `stream` waits for the last record() of `event` before this call.
void wait(StreamHandle stream, EventHandle event);
/// Whether the work that the event marks is done; true for an event never recorded.
bool done(EventHandle event);
double elapsed_ms(EventHandle begin, EventHandle end);
IpcHandle export_event(EventHandle event);
EventHandle import_event(const IpcHandle& handle);

/// One side of a copy: rows `pitch` bytes apart, slices `slice` bytes apart (a multiple of the pitch).
struct CopySide {
  void* base;
  std::size_t pitch, slice;
};
/// `slices` times `rows` rows of `bytes` bytes, between any two devices, by the copy engines.
struct BoxCopy {
  CopySide to, from;
  std::size_t bytes, rows, slices;
};
void copy_box(const BoxCopy& copy, StreamHandle stream);
/// Plain bytes between any two places, host or device; asynchronous if host memory is pinned.
void copy_bytes(void* to, const void* from, std::size_t bytes, StreamHandle stream);
void fill_zero(void* memory, std::size_t bytes, StreamHandle stream);

/// A flag is a zeroed number in device memory, of this GPU or of a peer's that this process has opened. signal() sets
/// it when earlier work of `stream` is done; later work of the stream given to await_signal() waits until it is set.
/// Unlike with events, neither call must come before the other. Flags stay set until fill_zero().
void signal(std::uint32_t* flag, StreamHandle stream);
void await_signal(const std::uint32_t* flag, StreamHandle stream);

/// Work enqueued between the two calls on `stream`, and on streams joined to it by events, becomes a graph.
void begin_capture(StreamHandle stream);
GraphHandle end_capture(StreamHandle stream);
/// Whether a stream is in capture, or its capture has failed and was not ended.
bool is_captured(StreamHandle stream);
void launch(GraphHandle graph, StreamHandle stream);
void destroy_graph(GraphHandle graph) noexcept;

}  // namespace shardfft::device
