#pragma once
// The time of each activity: spans recorded by steps and exchanges, read by report() and written as a Chrome trace.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace shardfft {

/// `copy` is a local copy that belongs to its step; `stage` copies a user's array to memory that other ranks can read.
enum class Activity { fft, pack, exchange, unpack, wait, copy, stage, other };
inline constexpr int activity_count = 8;
const char* activity_name(Activity a);

struct Span {
  Activity activity;
  int step;
  double begin;  ///< seconds since the trace was made
  double end;
};

/// A frame encloses spans: one step, or one whole run of a program (step is -1).
struct Frame {
  int step;
  int program;
  double begin;
  double end;
};

/// Sums time by step and activity always; keeps single spans and frames only when asked to (`keep_spans`), and no more
/// than `max_kept` of them, so that a long run does not fill the memory.
class Trace {
 public:
  static constexpr std::size_t max_kept = std::size_t{1} << 20;

  explicit Trace(bool keep_spans = false) : keep_spans_(keep_spans), epoch_(clock_seconds()) {}
  double now() const { return clock_seconds() - epoch_; }
  /// The moment that spans count from, on this host's clock in seconds.
  double epoch() const { return epoch_; }
  void set_step(int step) { step_ = step; }
  void add(Activity activity, double begin, double end);
  void add_frame(const Frame& frame);
  /// If not, spans and frames are dropped, and the clock need not be read for a frame.
  bool keeps_spans() const { return keep_spans_; }
  /// Total seconds of an activity in a step.
  double total(int step, Activity activity) const;
  int steps() const { return static_cast<int>(totals_.size()); }
  const std::vector<Span>& spans() const { return spans_; }
  const std::vector<Frame>& frames() const { return frames_; }
  /// Spans and frames that were not kept because there were too many.
  std::int64_t dropped() const { return dropped_; }
  /// The totals of a step begin anew.
  void forget(int step);

 private:
  struct Totals {
    double seconds[activity_count] = {};
  };
  bool keep_spans_;
  int step_ = 0;
  double epoch_;
  std::vector<Totals> totals_;
  std::vector<Span> spans_;
  std::vector<Frame> frames_;
  std::int64_t dropped_ = 0;
};

/// Records the time between construction and destruction; a null trace records nothing.
class Scope {
 public:
  Scope(Trace* trace, Activity activity)
      : trace_(trace), activity_(activity), begin_(trace != nullptr ? trace->now() : 0) {}
  ~Scope() {
    if (trace_ != nullptr) trace_->add(activity_, begin_, trace_->now());
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Trace* trace_;
  Activity activity_;
  double begin_;
};

/// Records activities that follow one another, each from the end of the one before: the clock is read once between two
/// of them. A null trace records nothing.
class Laps {
 public:
  explicit Laps(Trace* trace) : trace_(trace), begin_(trace != nullptr ? trace->now() : 0) {}
  void end(Activity activity) {
    if (trace_ == nullptr) return;
    const double now = trace_->now();
    trace_->add(activity, std::exchange(begin_, now), now);
  }

 private:
  Trace* trace_;
  double begin_;
};

}  // namespace shardfft
