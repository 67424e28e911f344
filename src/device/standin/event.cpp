#include "device/standin/event.hpp"

#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "device/standin/shared_file.hpp"

namespace shardfft::device::standin {

/// Counters of the shared events of this process, in one file.
class Event::Pool {
 public:
  static constexpr std::size_t most = 16384;
  static Pool& instance() {
    static Pool& pool = *new Pool;
    return pool;
  }
  std::size_t take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) fail(Status::out_of_memory, "more than ", most, " shared events");
    const std::size_t place = free_.back();
    free_.pop_back();
    new (at(place)) Counters;
    return place;
  }
  void give_back(std::size_t place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(place);
  }
  Counters* at(std::size_t place) { return static_cast<Counters*>(memory_) + place; }
  FileAddress address(std::size_t place, Sharing sharing) {
    const std::lock_guard<std::mutex> lock(mutex_);
    FileAddress address = file_.address(event_handle, sharing);
    address.place = place;
    return address;
  }

 private:
  Pool() : file_(most * sizeof(Counters)), memory_(file_.map()) {
    for (std::size_t i = most; i > 0; --i) free_.push_back(i - 1);
  }
  SharedFile file_;
  void* memory_;
  std::mutex mutex_;
  std::vector<std::size_t> free_;
};

/// Pools of other processes, mapped once each and kept.
class Event::RemotePools {
 public:
  static Counters* find(const FileAddress& address) {
    static std::mutex& mutex = *new std::mutex;
    static auto& mapped = *new std::map<std::pair<std::uint64_t, std::uint64_t>, void*>;
    const std::lock_guard<std::mutex> lock(mutex);
    const std::pair key{address.ticket.proof.owner, address.ticket.proof.word};
    if (!mapped.contains(key)) mapped[key] = SharedFile(address).map();
    return static_cast<Counters*>(mapped[key]) + address.place;
  }
};

Event::Event(EventUse use, int device) : use_(use), device_(device) {
  if (shares()) {
    place_ = Pool::instance().take();
    counters_ = Pool::instance().at(place_);
  } else {
    own_ = std::make_unique<Counters>();
    counters_ = own_.get();
  }
}

Event::Event(const IpcHandle& handle) : use_(EventUse::shared), device_(-1), remote_(true) {
  counters_ = RemotePools::find(from_handle(handle, event_handle));
}

Event::~Event() {
  if (shares() && !remote_) Pool::instance().give_back(place_);
}

void Event::finish_record(std::uint64_t number) {
  // Only read after finished().
  finished_at_.store(std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  slot(number).store(number, std::memory_order_release);
}

IpcHandle Event::export_handle() const {
  if (!shares() || remote_)
    fail(Status::backend_failure, "only events made to be shared, by this process, can be exported");
  return to_handle(Pool::instance().address(place_, use_ == EventUse::shared ? Sharing::ipc : Sharing::descriptors));
}

std::chrono::steady_clock::time_point Event::time() const {
  const std::uint64_t last = last_record();
  if (use_ != EventUse::timing || last == 0 || !finished(last))
    fail(Status::backend_failure, "an event without a time: not made for it, not recorded, or not done");
  return std::chrono::steady_clock::time_point(
      std::chrono::steady_clock::duration(finished_at_.load(std::memory_order_relaxed)));
}

}  // namespace shardfft::device::standin
