#include "device/standin/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "device/standin/settings.hpp"

namespace shardfft::device::standin {
namespace {

constexpr std::chrono::seconds patience{60};  ///< without any progress: some work waits for an event that never comes

/// done() waits up to this long for the event. A caller that polls would otherwise take the core from the threads of
/// this and other processes that do the work.
constexpr std::chrono::microseconds answer_within{50};

/// Another process sends no notice when it records an event, so the worker polls, less and less often.
std::chrono::microseconds pause_after(int polls) {
  return std::chrono::microseconds(std::min(20 << std::min(polls / 4, 5), 500));
}

}  // namespace

Scheduler& Scheduler::instance() {
  static Scheduler& scheduler = *new Scheduler;  // never destroyed: its thread runs until the process ends
  return scheduler;
}

Scheduler::Scheduler() : random_(first_seed()) {
  std::thread([this] { work(); }).detach();
}

void Scheduler::reseed(std::uint64_t seed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  random_.seed(seed);
}

StreamHandle Scheduler::create_stream(int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  next_handle_ += 16;  // never used again: a destroyed stream is always noticed
  auto* const handle = reinterpret_cast<StreamHandle>(next_handle_);
  auto stream = std::make_shared<Stream>();
  stream->device = device;
  stream->rank = random_();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void Scheduler::destroy_stream(StreamHandle handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return;
  found->second->destroyed = true;
  if (found->second->queue.empty()) streams_.erase(found);
}

/// The default stream has two names: null, and the 1 of cudaStreamLegacy.
bool Scheduler::is_default(StreamHandle handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 1; }

Scheduler::Stream& Scheduler::find(StreamHandle handle, int device) {
  if (is_default(handle)) {
    StreamHandle& own = default_streams_[device];
    if (own == nullptr) {
      next_handle_ += 16;
      own = reinterpret_cast<StreamHandle>(next_handle_);
      streams_.emplace(own, std::make_shared<Stream>()).first->second->device = device;
    }
    handle = own;
  }
  const auto found = streams_.find(handle);
  if (found == streams_.end() || found->second->destroyed) fail(Status::backend_failure, "not a stream");
  return *found->second;
}

int Scheduler::device_of(StreamHandle handle, int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find(handle, device).device;
}

bool Scheduler::captured(StreamHandle handle, int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find(handle, device).capture != nullptr;
}

/// Sometimes holds a stream back, for up to `microseconds`.
void Scheduler::hold(Stream& stream, unsigned one_in, int microseconds) {
  if (random_() % one_in != 0) return;
  const auto time = random_() % static_cast<unsigned>(microseconds);
  stream.held_until = Clock::now() + std::chrono::microseconds(time);
}

void Scheduler::push(Stream& stream, Task task) {
  if (stream.queue.empty()) hold(stream, 4, 200);
  stream.queue.push_back(std::move(task));
  ++stream.enqueued;
  polls_ = 0;
}

void Scheduler::add_node(Stream& stream, std::function<void()> work) {
  std::vector<GraphNode>& nodes = stream.capture->graph->nodes;
  nodes.push_back({std::move(work), stream.captured_after});
  stream.captured_after = {static_cast<int>(nodes.size()) - 1};
}

void Scheduler::enqueue(StreamHandle handle, int device, std::string name, std::function<void()> work) {
  if (fails_now()) fail(Status::backend_failure, "the stand-in was told to refuse this work: ", name);
  const Entry entry(*this);
  Stream& stream = find(handle, device);
  if (stream.capture)
    add_node(stream, std::move(work));
  else
    push(stream, {{}, [work = std::move(work)](auto&) { return work(), true; }, std::move(name)});
}

void Scheduler::record(const std::shared_ptr<Event>& event, StreamHandle handle, int device) {
  if (fails_now()) fail(Status::backend_failure, "the stand-in was told to refuse this work: record");
  const Entry entry(*this);
  Stream& stream = find(handle, device);
  if (!event->remote() && event->device() != stream.device)
    fail(Status::backend_failure, "an event of device ", event->device(), " cannot be recorded on a stream of device ",
         stream.device);
  event->capture = stream.capture;
  event->captured_after = stream.captured_after;
  if (stream.capture) return;
  const std::uint64_t number = event->begin_record();
  push(stream, {{}, [event, number](auto&) { return event->finish_record(number), true; }, "record"});
}

void Scheduler::wait(StreamHandle handle, int device, const std::shared_ptr<Event>& event) {
  const Entry entry(*this);
  Stream& stream = find(handle, device);
  if (!event->capture) {
    if (stream.capture) fail(Status::backend_failure, "captured work cannot wait for work outside of the capture");
    const std::uint64_t number = event->last_record();
    if (number == 0) return;  // never recorded: nothing to wait for
    push(stream,
         {[event, number] { return event->finished(number); }, [](auto&) { return true; }, "wait for an event"});
    return;
  }
  if (!event->capture->open) fail(Status::backend_failure, "the event was recorded in a capture that has ended");
  if (!stream.capture) {
    stream.capture = event->capture;
    stream.captured_after.clear();
  }
  if (stream.capture != event->capture) fail(Status::backend_failure, "two captures cannot wait for each other");
  for (const int node : event->captured_after)
    if (std::find(stream.captured_after.begin(), stream.captured_after.end(), node) == stream.captured_after.end())
      stream.captured_after.push_back(node);
}

void Scheduler::await(const std::uint32_t* flag, StreamHandle handle, int device) {
  const Entry entry(*this);
  Stream& stream = find(handle, device);
  if (stream.capture) return;
  // Pairs with the store in signal(). std::atomic_ref of const numbers is for later standards.
  push(stream, {[flag = const_cast<std::uint32_t*>(flag)] {
                  return std::atomic_ref(*flag).load(std::memory_order_acquire) != 0;
                },
                [](auto&) { return true; }, "wait for a signal"});
}

bool Scheduler::done(const Event& event) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (event.capture) fail(Status::backend_failure, "a captured event cannot be asked whether it is done");
  throw_failure();
  const std::uint64_t number = event.last_record();
  if (number == 0 || event.finished(number)) return true;
  finished_.wait_for(lock, answer_within);
  return event.finished(number);
}

void Scheduler::throw_failure() {
  if (!failure_.empty()) fail(Status::backend_failure, std::exchange(failure_, {}));
}

void Scheduler::wait_until_finished(std::unique_lock<std::mutex>& lock, const Stream& stream, std::uint64_t count) {
  std::uint64_t seen = steps_;
  while (stream.finished < count) {
    if (finished_.wait_for(lock, patience) == std::cv_status::no_timeout || steps_ != seen) {
      seen = steps_;
      continue;
    }
    fail(Status::backend_failure, "nothing has happened for ", patience.count(), " s; a stream of device ",
         stream.device, " is at: ", stream.queue.front().name, how_to_repeat());
  }
}

void Scheduler::synchronize(StreamHandle handle, int device) {
  std::unique_lock<std::mutex> lock(mutex_);
  find(handle, device);
  const std::shared_ptr<Stream> stream = streams_.at(is_default(handle) ? default_streams_.at(device) : handle);
  if (stream->capture) fail(Status::backend_failure, "a captured stream cannot be synchronised");
  wait_until_finished(lock, *stream, stream->enqueued);
  throw_failure();
}

void Scheduler::drain(int device) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<Stream>> all;
  for (const auto& [handle, stream] : streams_)
    if (stream->device == device) all.push_back(stream);
  for (const auto& stream : all) wait_until_finished(lock, *stream, stream->enqueued);
}

void Scheduler::begin_capture(StreamHandle handle, int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stream& stream = find(handle, device);
  if (is_default(handle) || stream.capture) fail(Status::backend_failure, "this stream cannot be captured");
  stream.capture = std::make_shared<Capture>();
  stream.captured_after.clear();
  ++captures_;
}

std::shared_ptr<Graph> Scheduler::end_capture(StreamHandle handle, int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Stream& origin = find(handle, device);
  const std::shared_ptr<Capture> capture = origin.capture;
  if (!capture) fail(Status::backend_failure, "the stream is not captured");
  const bool joined = capture->graph->all_before(origin.captured_after);
  for (const auto& [other, stream] : streams_)
    if (stream->capture == capture) stream->capture.reset();
  capture->open = false;
  --captures_;
  if (!joined) fail(Status::backend_failure, "captured work was not joined to the stream that the capture began on");
  return capture->graph;
}

bool Scheduler::capturing() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return captures_ > 0;
}

void Scheduler::launch(const std::shared_ptr<Graph>& graph, StreamHandle handle, int device) {
  const Entry entry(*this);
  Stream& stream = find(handle, device);
  if (stream.capture) fail(Status::unsupported, "the stand-in does not capture launches of graphs");
  const auto one = std::make_shared<GraphLaunch>(graph);
  push(stream, {[one] { return one->may_begin(); }, [one](auto& random) { return one->step(random); }, "graph"});
}

Scheduler::Stream* Scheduler::choose(Clock::time_point& look_again) {
  Stream* best = nullptr;
  const Clock::time_point now = Clock::now();
  look_again = Clock::time_point::max();
  for (const auto& [handle, stream] : streams_) {
    if (stream->queue.empty()) continue;
    const Task& head = stream->queue.front();
    if (stream->held_until > now)
      look_again = std::min(look_again, stream->held_until);
    else if (head.may_run && !head.may_run())
      look_again = std::min<Clock::time_point>(look_again, now + pause_after(polls_));
    else if (best == nullptr || stream->rank > best->rank)
      best = stream.get();
  }
  return best;
}

void Scheduler::run_head(Stream& stream, std::unique_lock<std::mutex>& lock) {
  Task& task = stream.queue.front();  // stays in place: others only append
  std::mt19937_64 random(random_());
  lock.unlock();
  bool finished = true;
  std::string failure;
  try {
    finished = task.step(random);
  } catch (const std::exception& e) {
    failure = e.what();
  }
  lock.lock();
  if (failure_.empty()) failure_ = failure;
  ++steps_;
  polls_ = 0;
  if (finished) {
    stream.queue.pop_front();
    ++stream.finished;
  }
  if (random_() % 4 == 0) stream.rank = random_();
  hold(stream, 8, 100);
  if (!finished) return;
  lock.unlock();
  finished_.notify_all();
  lock.lock();
}

void Scheduler::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    Clock::time_point look_again;
    Stream* const stream = choose(look_again);
    if (stream != nullptr) {
      run_head(*stream, lock);
      std::erase_if(streams_, [](const auto& entry) { return entry.second->destroyed && entry.second->queue.empty(); });
    } else if (look_again == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      ++polls_;
      changed_.wait_until(lock, look_again);
    }
  }
}

}  // namespace shardfft::device::standin
