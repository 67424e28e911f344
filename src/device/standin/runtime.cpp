// device/runtime.hpp without a GPU: devices, memory, streams, events and graphs.
#include "device/runtime.hpp"

#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "base/check.hpp"
#include "device/standin/event.hpp"
#include "device/standin/memory.hpp"
#include "device/standin/scheduler.hpp"
#include "device/standin/settings.hpp"

namespace shardfft::device {
namespace {

using standin::Event;
using standin::Graph;
using standin::MemoryTable;
using standin::Scheduler;

thread_local int device_of_thread = 0;

/// Objects behind handles. A handle is never used again, so that each use of a destroyed one is noticed.
template <class Object>
class Handles {
 public:
  explicit Handles(const char* what) : what_(what) {}
  void* add(std::shared_ptr<Object> object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_ += 16;
    auto* const handle = reinterpret_cast<void*>(next_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  std::shared_ptr<Object> get(void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) fail(Status::backend_failure, "not ", what_, ", or one that was destroyed");
    return found->second;
  }
  void remove(void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_.erase(handle);
  }

 private:
  const char* what_;
  std::mutex mutex_;
  std::uintptr_t next_ = 0;
  std::map<void*, std::shared_ptr<Object>> objects_;
};

Handles<Event>& events() {
  static auto& all = *new Handles<Event>("an event");
  return all;
}
Handles<Graph>& graphs() {
  static auto& all = *new Handles<Graph>("a graph");
  return all;
}

void check_device(int device) {
  if (device < 0 || device >= standin::devices())
    fail(Status::backend_failure, "no device ", device, " among ", standin::devices());
}

/// Waits for the device, like cudaFree and similar calls.
void release_after_work(void* memory, MemoryKind kind, int device) noexcept {
  if (memory == nullptr) return;
  try {
    if (device >= 0) Scheduler::instance().drain(device);
  } catch (const std::exception&) {  // work that never ends does not keep its memory
  }
  MemoryTable::instance().release(memory, kind);
}

}  // namespace

std::string runtime_name() { return "stand-in without a GPU"; }
int device_count() { return standin::devices(); }
int current_device() { return device_of_thread; }
void set_device(int device) {
  check_device(device);
  device_of_thread = device;
}
void enable_peer(int device, int peer) {
  check_device(device);
  check_device(peer);
  MemoryTable::instance().enable_peer(device, peer);
}

std::string device_name(int device) {
  check_device(device);
  return "shardfft stand-in without a GPU";
}

MemoryInfo memory_info() {
  const std::size_t total = standin::device_bytes(), used = MemoryTable::instance().used(current_device());
  return {used < total ? total - used : 0, total};
}

void* allocate(std::size_t bytes, Sharing sharing) {
  return MemoryTable::instance().allocate(bytes, MemoryKind::device, current_device(), sharing);
}
void release(void* memory) noexcept { release_after_work(memory, MemoryKind::device, describe(memory).device); }
void* allocate_pinned(std::size_t bytes) {
  return MemoryTable::instance().allocate(bytes, MemoryKind::pinned, current_device());
}
void release_pinned(void* memory) noexcept { release_after_work(memory, MemoryKind::pinned, current_device()); }
void* allocate_managed(std::size_t bytes) {
  return MemoryTable::instance().allocate(bytes, MemoryKind::managed, current_device());
}
void release_managed(void* memory) noexcept { release_after_work(memory, MemoryKind::managed, current_device()); }
void register_host(void* memory, std::size_t bytes) { MemoryTable::instance().register_host(memory, bytes); }
void unregister_host(void* memory) noexcept { MemoryTable::instance().unregister_host(memory); }

void prefetch(void* managed, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  if (describe(managed).kind != MemoryKind::managed)
    fail(Status::backend_failure, "only managed memory can be prefetched");
  Scheduler::instance().enqueue(stream, current_device(), "prefetch", [managed, bytes] {
    MemoryTable::instance().check_copy({managed, bytes});
  });
}

namespace {
/// CUDA's driver looks in the current device's context, and may crash if the memory or event is of another one.
void require_current(int device, const char* what) {
  if (device != current_device())
    fail(Status::backend_failure, what, " of device ", device, " is exported while device ", current_device(),
         " is current");
}
}  // namespace

PointerInfo describe(const void* pointer) { return MemoryTable::instance().describe(pointer); }

Allocation allocation_of(const void* pointer) { return MemoryTable::instance().allocation_of(pointer); }
bool host_uses_device_memory() { return true; }
IpcHandle export_memory(void* memory) {
  require_current(describe(memory).device, "memory");
  return MemoryTable::instance().export_memory(memory);
}
void* import_memory(const IpcHandle& handle) { return MemoryTable::instance().import_memory(handle, current_device()); }
/// Does not wait for work that still uses the memory: CUDA does not promise that.
void close_memory(void* memory) noexcept { MemoryTable::instance().close_memory(memory); }

StreamHandle create_stream() { return Scheduler::instance().create_stream(current_device()); }
void destroy_stream(StreamHandle stream) noexcept { Scheduler::instance().destroy_stream(stream); }
int device_of_stream(StreamHandle stream) { return Scheduler::instance().device_of(stream, current_device()); }
void synchronize(StreamHandle stream) { Scheduler::instance().synchronize(stream, current_device()); }

EventHandle create_event(EventUse use) { return events().add(std::make_shared<Event>(use, current_device())); }
void destroy_event(EventHandle event) noexcept { events().remove(event); }
void record(EventHandle event, StreamHandle stream) {
  Scheduler::instance().record(events().get(event), stream, current_device());
}
void wait(StreamHandle stream, EventHandle event) {
  Scheduler::instance().wait(stream, current_device(), events().get(event));
}
bool done(EventHandle event) { return Scheduler::instance().done(*events().get(event)); }
double elapsed_ms(EventHandle begin, EventHandle end) {
  return std::chrono::duration<double, std::milli>(events().get(end)->time() - events().get(begin)->time()).count();
}
IpcHandle export_event(EventHandle event) {
  const auto shared = events().get(event);
  require_current(shared->device(), "an event");
  return shared->export_handle();
}
EventHandle import_event(const IpcHandle& handle) { return events().add(std::make_shared<Event>(handle)); }

void begin_capture(StreamHandle stream) { Scheduler::instance().begin_capture(stream, current_device()); }
bool is_captured(StreamHandle stream) { return Scheduler::instance().captured(stream, current_device()); }
GraphHandle end_capture(StreamHandle stream) {
  return graphs().add(Scheduler::instance().end_capture(stream, current_device()));
}
void launch(GraphHandle graph, StreamHandle stream) {
  Scheduler::instance().launch(graphs().get(graph), stream, current_device());
}
void destroy_graph(GraphHandle graph) noexcept { graphs().remove(graph); }

}  // namespace shardfft::device
