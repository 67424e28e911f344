#pragma once
// Streams and the one thread that runs their work: in order within a stream, and in any order among streams that events
// allow. Streams have random ranks, which change now and then. The work of some is held back for a moment, so that
// others, the host and other processes get ahead.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "device/runtime.hpp"
#include "device/standin/event.hpp"
#include "device/standin/graph.hpp"

namespace shardfft::device::standin {

/// A task at the head of a stream. `step` returns true when the task is done; `may_run` empty: always.
struct Task {
  std::function<bool()> may_run;
  std::function<bool(std::mt19937_64&)> step;
  std::string name;
};

class Scheduler {
 public:
  static Scheduler& instance();

  StreamHandle create_stream(int device);
  void destroy_stream(StreamHandle handle);
  /// Throws if the handle is no stream; null is the default stream of `device`.
  int device_of(StreamHandle handle, int device);
  bool captured(StreamHandle handle, int device);

  /// Adds work to a stream, or to the graph of its capture.
  void enqueue(StreamHandle handle, int device, std::string name, std::function<void()> work);
  void record(const std::shared_ptr<Event>& event, StreamHandle handle, int device);
  void wait(StreamHandle handle, int device, const std::shared_ptr<Event>& event);
  /// Waits until *flag is set. Captured work does not wait: order must not depend on flags alone.
  void await(const std::uint32_t* flag, StreamHandle handle, int device);
  bool done(const Event& event);
  /// Waits until all work of the stream so far is done; throws the first error of any stream since the last such
  /// report.
  void synchronize(StreamHandle handle, int device);
  /// Waits until no stream of the device has work; errors stay for synchronize().
  void drain(int device);

  void begin_capture(StreamHandle handle, int device);
  std::shared_ptr<Graph> end_capture(StreamHandle handle, int device);
  void launch(const std::shared_ptr<Graph>& graph, StreamHandle handle, int device);
  bool capturing();

  void reseed(std::uint64_t seed);

 private:
  using Clock = std::chrono::steady_clock;
  struct Stream {
    int device = 0;
    bool destroyed = false;
    std::deque<Task> queue{};  ///< the head stays here while it runs
    std::uint64_t enqueued = 0, finished = 0;
    std::uint64_t rank = 0;
    Clock::time_point held_until{};
    std::shared_ptr<Capture> capture{};
    std::vector<int> captured_after{};
  };

  /// Holds the lock while streams get work. Wakes the worker after the release, since it takes the lock first.
  class Entry {
   public:
    explicit Entry(Scheduler& scheduler) : scheduler_(scheduler) { scheduler_.mutex_.lock(); }
    ~Entry() {
      scheduler_.mutex_.unlock();
      scheduler_.changed_.notify_one();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Scheduler& scheduler_;
  };

  Scheduler();
  static bool is_default(StreamHandle handle);
  Stream& find(StreamHandle handle, int device);
  void push(Stream& stream, Task task);
  void add_node(Stream& stream, std::function<void()> work);
  void hold(Stream& stream, unsigned one_in, int microseconds);
  void work();
  /// The ready stream of the highest rank. If there is none: null, and the time to look again.
  Stream* choose(Clock::time_point& look_again);
  void run_head(Stream& stream, std::unique_lock<std::mutex>& lock);
  void wait_until_finished(std::unique_lock<std::mutex>& lock, const Stream& stream, std::uint64_t count);
  void throw_failure();

  std::mutex mutex_;
  std::condition_variable changed_;   ///< for the worker: there may be work
  std::condition_variable finished_;  ///< for the host: something is done
  std::map<StreamHandle, std::shared_ptr<Stream>> streams_;
  std::map<int, StreamHandle> default_streams_;
  std::uintptr_t next_handle_ = 0;
  std::mt19937_64 random_;
  std::uint64_t steps_ = 0;
  int polls_ = 0;
  int captures_ = 0;
  std::string failure_;
};

}  // namespace shardfft::device::standin
