#pragma once
// The times of steps of runs on the GPUs: events between the steps, read when the work is done anyway.
#include <array>
#include <cstdint>
#include <vector>

#include "base/trace.hpp"
#include "device/handles.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

/// The work between two marks, for the trace.
struct TimedStep {
  int trace_step = 0;
  Activity activity = Activity::fft;
};

class StepTimes {
 public:
  explicit StepTimes(const Team& team) : team_(&team) {}
  /// Prepares for this many programs.
  void resize(std::size_t programs) { totals_.resize(programs); }

  /// Begins to time a call; does nothing while the calls in flight use all events. `trace` tells the time of the host.
  void begin(int program, const Trace& trace, const std::vector<device::StreamHandle>& streams);
  /// The work since the last mark was `step`.
  void mark(const TimedStep& step, const std::vector<device::StreamHandle>& streams);
  void end();
  /// Does not time the call that began.
  void drop() { current_ = nullptr; }
  /// Adds the times of finished calls to the trace. The first call of a program counts only until there is another one,
  /// because kernels are loaded in it.
  void harvest(Trace& trace);

  std::int64_t runs(int program) const { return totals_of(program).runs; }
  double seconds(int program) const { return totals_of(program).seconds; }

 private:
  struct TimedCall {
    int program = 0;
    double host_begin = 0;
    std::vector<TimedStep> steps;
    std::vector<std::vector<device::Event>> events;  ///< by mark and member; one mark more than steps
    bool pending = false;
  };
  struct Totals {
    std::int64_t runs = 0;
    double seconds = 0;
    bool warm = false;  ///< the first call is no longer counted
  };
  const Totals& totals_of(int program) const { return totals_[static_cast<std::size_t>(program)]; }
  void record(TimedCall& call, std::size_t mark, const std::vector<device::StreamHandle>& streams);
  bool done(const TimedCall& call) const;
  void take(const TimedCall& call, Trace& trace);

  const Team* team_;
  std::array<TimedCall, 8> ring_;
  std::size_t next_ = 0;
  TimedCall* current_ = nullptr;
  std::vector<Totals> totals_;  ///< by program
};

}  // namespace shardfft::gpu
