#pragma once
// Events as counters: the number of records of an event, and the finished ones among them. Counters of events that
// other processes open are in shared memory.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/runtime.hpp"

namespace shardfft::device::standin {

struct Capture;

class Event {
 public:
  Event(EventUse use, int device);
  /// An event of another process.
  explicit Event(const IpcHandle& handle);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// The number of a new record; 0 stands for none.
  std::uint64_t begin_record() { return counters_->recorded.fetch_add(1, std::memory_order_release) + 1; }
  void finish_record(std::uint64_t number);
  std::uint64_t last_record() const { return counters_->recorded.load(std::memory_order_acquire); }
  /// Pairs with the store in finish_record(): all work enqueued before the record is done.
  bool finished(std::uint64_t number) const { return slot(number).load(std::memory_order_acquire) >= number; }
  bool remote() const { return remote_; }
  bool shares() const { return use_ == EventUse::shared || use_ == EventUse::counted; }
  int device() const { return device_; }
  IpcHandle export_handle() const;
  /// The time at which the last record was done; throws if the event keeps no time or is not done.
  std::chrono::steady_clock::time_point time() const;

  /// Set if it was recorded while a stream was captured: it is then no event of the run, but a place in a graph.
  std::shared_ptr<Capture> capture;
  std::vector<int> captured_after;

 private:
  /// Records under way at a time; each has a slot of its own, because they may end in any order.
  static constexpr std::size_t slots = 64;
  struct Counters {
    std::atomic<std::uint64_t> recorded{0};
    std::array<std::atomic<std::uint64_t>, slots> finished{};
  };
  class Pool;
  class RemotePools;
  std::atomic<std::uint64_t>& slot(std::uint64_t number) const { return counters_->finished[number % slots]; }

  EventUse use_;
  int device_;
  bool remote_ = false;
  std::size_t place_ = 0;
  Counters* counters_ = nullptr;
  std::unique_ptr<Counters> own_;
  std::atomic<std::int64_t> finished_at_{0};
};

}  // namespace shardfft::device::standin
