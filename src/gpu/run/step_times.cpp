#include "gpu/run/step_times.hpp"

#include <algorithm>

namespace shardfft::gpu {

void StepTimes::record(TimedCall& call, std::size_t mark, const std::vector<device::StreamHandle>& streams) {
  if (call.events.size() <= mark) call.events.resize(mark + 1);
  std::vector<device::Event>& events = call.events[mark];
  for (std::size_t m = 0; m < streams.size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    if (events.size() <= m) events.push_back(device::make_event(device::EventUse::timing));
    device::record(events[m].get(), streams[m]);
  }
}

void StepTimes::begin(int program, const Trace& trace, const std::vector<device::StreamHandle>& streams) {
  current_ = nullptr;
  if (ring_[next_].pending) return;
  current_ = &ring_[next_];
  next_ = (next_ + 1) % ring_.size();
  current_->program = program;
  current_->host_begin = trace.now();
  current_->steps.clear();
  record(*current_, 0, streams);
}

void StepTimes::mark(const TimedStep& step, const std::vector<device::StreamHandle>& streams) {
  if (current_ == nullptr) return;
  current_->steps.push_back(step);
  record(*current_, current_->steps.size(), streams);
}

void StepTimes::end() {
  if (current_ != nullptr) current_->pending = true;
  current_ = nullptr;
}

bool StepTimes::done(const TimedCall& call) const {
  const auto& last = call.events[call.steps.size()];
  return std::all_of(last.begin(), last.end(), [](const device::Event& e) { return device::done(e.get()); });
}

void StepTimes::harvest(Trace& trace) {
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    TimedCall& call = ring_[(next_ + i) % ring_.size()];  // the oldest first
    if (!call.pending) continue;
    if (!done(call)) return;
    take(call, trace);
    call.pending = false;
  }
}

void StepTimes::take(const TimedCall& call, Trace& trace) {
  Totals& totals = totals_[static_cast<std::size_t>(call.program)];
  if (totals.runs == 1 && !totals.warm) {
    totals = {0, 0, true};
    for (const TimedStep& s : call.steps) trace.forget(s.trace_step);
  }
  double at = call.host_begin;
  for (std::size_t i = 0; i < call.steps.size(); ++i) {
    double slowest = 0;
    for (std::size_t m = 0; m < call.events[i].size(); ++m)
      slowest = std::max(slowest, device::elapsed_ms(call.events[i][m].get(), call.events[i + 1][m].get()) / 1e3);
    trace.set_step(call.steps[i].trace_step);
    trace.add(call.steps[i].activity, at, at + slowest);
    trace.add_frame({call.steps[i].trace_step, call.program, at, at + slowest});
    at += slowest;
  }
  trace.add_frame({-1, call.program, call.host_begin, at});
  ++totals.runs;
  totals.seconds += at - call.host_begin;
}

}  // namespace shardfft::gpu
