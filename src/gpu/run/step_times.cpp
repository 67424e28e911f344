#include "gpu/run/step_times.hpp"

#include <algorithm>

namespace shardfft::gpu {

void StepTimes::record(Run& run, std::size_t mark, const std::vector<device::StreamHandle>& streams) {
  if (run.events.size() <= mark) run.events.resize(mark + 1);
  std::vector<device::Event>& events = run.events[mark];
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
  current_->stretches.clear();
  record(*current_, 0, streams);
}

void StepTimes::mark(const Stretch& stretch, const std::vector<device::StreamHandle>& streams) {
  if (current_ == nullptr) return;
  current_->stretches.push_back(stretch);
  record(*current_, current_->stretches.size(), streams);
}

void StepTimes::end() {
  if (current_ != nullptr) current_->pending = true;
  current_ = nullptr;
}

bool StepTimes::done(const Run& run) const {
  const auto& last = run.events[run.stretches.size()];
  return std::all_of(last.begin(), last.end(), [](const device::Event& e) { return device::done(e.get()); });
}

void StepTimes::harvest(Trace& trace) {
  for (std::size_t i = 0; i < ring_.size(); ++i) {
    Run& run = ring_[(next_ + i) % ring_.size()];  // the oldest first
    if (!run.pending) continue;
    if (!done(run)) return;
    take(run, trace);
    run.pending = false;
  }
}

void StepTimes::take(const Run& run, Trace& trace) {
  Totals& totals = totals_[static_cast<std::size_t>(run.program)];
  if (totals.runs == 1 && !totals.warm) {
    totals = {0, 0, true};
    for (const Stretch& s : run.stretches) trace.forget(s.trace_step);
  }
  double at = run.host_begin;
  for (std::size_t i = 0; i < run.stretches.size(); ++i) {
    double slowest = 0;
    for (std::size_t m = 0; m < run.events[i].size(); ++m)
      slowest = std::max(slowest, device::elapsed_ms(run.events[i][m].get(), run.events[i + 1][m].get()) / 1e3);
    trace.set_step(run.stretches[i].trace_step);
    trace.add(run.stretches[i].activity, at, at + slowest);
    trace.add_frame({run.stretches[i].trace_step, run.program, at, at + slowest});
    at += slowest;
  }
  trace.add_frame({-1, run.program, run.host_begin, at});
  ++totals.runs;
  totals.seconds += at - run.host_begin;
}

}  // namespace shardfft::gpu
