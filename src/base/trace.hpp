#pragma once
// Where time goes: spans recorded by steps and exchanges, read by report() and written as a Chrome trace.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shardfft {

enum class Activity { fft, pack, exchange, unpack, wait, copy, other };
inline constexpr int activity_count = 7;
const char* activity_name(Activity a);

struct Span {
  Activity activity;
  int step;
  double begin;  ///< seconds since the trace was made
  double end;
};

/// Sums time by step and activity always; keeps the single spans only when asked to (`keep_spans`).
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Trace(bool keep_spans = false) : keep_spans_(keep_spans), epoch_(Clock::now()) {}
  double now() const { return std::chrono::duration<double>(Clock::now() - epoch_).count(); }
  void set_step(int step) { step_ = step; }
  void add(Activity activity, double begin, double end);
  /// Total seconds of an activity in a step.
  double total(int step, Activity activity) const;
  int steps() const { return static_cast<int>(totals_.size()); }
  const std::vector<Span>& spans() const { return spans_; }
  void clear();

 private:
  struct Totals {
    double seconds[activity_count] = {};
  };
  bool keep_spans_;
  int step_ = 0;
  Clock::time_point epoch_;
  std::vector<Totals> totals_;
  std::vector<Span> spans_;
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

}  // namespace shardfft
