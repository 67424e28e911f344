#include "device/cuda/counted_event.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/lent_descriptor.hpp"
#include "base/offered_file.hpp"
#include "base/succeeds.hpp"
#include "device/cuda/calls.hpp"

namespace shardfft::device::counted {

namespace {

/// The numbers of records that have been enqueued, and that are done. They wrap around. Later users of a place go on
/// with them: an older stream may still write there.
struct alignas(64) Counter {
  std::atomic<std::uint32_t> recorded, done;
  /// As streams compare.
  bool reached(std::uint32_t number) const {
    return static_cast<std::int32_t>(done.load(std::memory_order_acquire) - number) >= 0;
  }
};
constexpr std::size_t most = 16384, file_bytes = most * sizeof(Counter);

/// Maps a file of counters where the GPU may use them. Never undone.
Counter* map(int descriptor) {
  void* const memory = mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail(Status::out_of_memory, "cannot map counters of events: ", std::strerror(errno));
  register_host(memory, file_bytes);
  return static_cast<Counter*>(memory);
}

struct Event {
  Counter* counter = nullptr;
  bool imported = false;
  CUdeviceptr done = 0;  ///< as streams see it
};
Event& at(EventHandle event) { return *reinterpret_cast<Event*>(reinterpret_cast<std::uintptr_t>(event) - 1); }
EventHandle handle_of(Counter* counter, bool imported) {
  void* on_device = nullptr;
  check(cudaHostGetDevicePointer(&on_device, &counter->done, 0), "cudaHostGetDevicePointer");
  auto* const event = new Event{counter, imported, reinterpret_cast<CUdeviceptr>(on_device)};
  return reinterpret_cast<EventHandle>(reinterpret_cast<std::uintptr_t>(event) + 1);
}

/// The counters of this process, in one file.
class Pool {
 public:
  static Pool& instance() {
    static Pool& one = *new Pool;
    return one;
  }
  Counter* take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) fail(Status::out_of_memory, "more than ", most, " shared events");
    Counter* const counter = free_.back();
    free_.pop_back();
    return counter;
  }
  void give_back(Counter* counter) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(counter);
  }
  LentTicket ticket() const { return file_.ticket(); }
  std::uint64_t place(const Counter* counter) const { return static_cast<std::uint64_t>(counter - counters_); }

 private:
  Pool() : Pool(make_file("shardfft-events")) {}
  explicit Pool(int descriptor) : file_(descriptor) {
    if (ftruncate(descriptor, file_bytes) != 0) fail(Status::out_of_memory, "no memory for counters of events");
    counters_ = map(descriptor);
    for (std::size_t i = most; i > 0; --i) free_.push_back(counters_ + i - 1);
  }
  LentDescriptor file_;
  Counter* counters_ = nullptr;
  std::mutex mutex_;
  std::vector<Counter*> free_;
};

/// The name of an event for other processes.
struct Name {
  std::uint64_t what = 0;
  LentTicket pool;
  std::uint64_t place = 0;
  static constexpr std::uint64_t event = 0x5348415244464345;
};

using Call = CUresult(CUstream, CUdeviceptr, cuuint32_t, unsigned);
/// Writes or awaits the number of records that are done.
void enqueue(Call* call, const Event& event, std::uint32_t number, unsigned how, StreamHandle stream) {
  const CUresult status = call(stream_of(stream), event.done, number, how);
  if (status != CUDA_SUCCESS) fail(Status::backend_failure, "counted events: CUDA error ", int{status});
}
void await(const Event& event, std::uint32_t number, StreamHandle stream) {
  static auto* const call = driver_function<Call>("cuStreamWaitValue32");
  if (!event.counter->reached(number)) enqueue(call, event, number, CU_STREAM_WAIT_VALUE_GEQ, stream);
}

}  // namespace

EventHandle create() { return handle_of(Pool::instance().take(), false); }

void destroy(EventHandle event) noexcept {
  if (!at(event).imported) Pool::instance().give_back(at(event).counter);
  delete &at(event);
}

/// Records end in order, or a late one would set the number back.
void record(EventHandle event, StreamHandle stream) {
  static auto* const call = driver_function<Call>("cuStreamWriteValue32");
  const Event& mine = at(event);
  const std::uint32_t last = mine.counter->recorded.load(std::memory_order_relaxed);
  await(mine, last, stream);
  enqueue(call, mine, last + 1, CU_STREAM_WRITE_VALUE_DEFAULT, stream);
  mine.counter->recorded.store(last + 1, std::memory_order_release);
}

void wait(StreamHandle stream, EventHandle event) {
  await(at(event), at(event).counter->recorded.load(std::memory_order_acquire), stream);
}

bool done(EventHandle event) {
  const Counter& counter = *at(event).counter;
  return counter.reached(counter.recorded.load(std::memory_order_acquire));
}

IpcHandle export_event(EventHandle event) {
  const Pool& pool = Pool::instance();
  return bytes_of(Name{Name::event, pool.ticket(), pool.place(at(event).counter)});
}

/// Files of other processes are mapped once each, and kept.
EventHandle import(const IpcHandle& handle) {
  static std::mutex& mutex = *new std::mutex;
  static auto& mapped = *new std::map<std::uint64_t, Counter*>;
  const auto name = name_of<Name>(handle);
  if (name.what != Name::event) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  Counter*& counters = mapped[name.pool.proof.word];
  if (counters == nullptr) {
    const int descriptor = borrow_descriptor(name.pool);
    const bool good = succeeds([&] { counters = map(descriptor); });
    ::close(descriptor);
    if (!good) fail(Status::backend_failure, "the events of another process cannot be mapped");
  }
  return handle_of(counters + name.place % most, true);
}

}  // namespace shardfft::device::counted
