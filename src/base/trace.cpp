#include "base/trace.hpp"

namespace shardfft {

const char* activity_name(Activity a) {
  static const char* const names[activity_count] = {"fft",  "pack", "exchange", "unpack",
                                                    "wait", "copy", "stage",    "other"};
  return names[static_cast<int>(a)];
}

void Trace::add(Activity activity, double begin, double end) {
  const auto step = static_cast<std::size_t>(step_);
  if (step >= totals_.size()) totals_.resize(step + 1);
  totals_[step].seconds[static_cast<int>(activity)] += end - begin;
  if (!keep_spans_) return;
  if (spans_.size() < max_kept)
    spans_.push_back({activity, step_, begin, end});
  else
    ++dropped_;
}

void Trace::add_frame(const Frame& frame) {
  if (!keep_spans_) return;
  if (frames_.size() < max_kept)
    frames_.push_back(frame);
  else
    ++dropped_;
}

double Trace::total(int step, Activity activity) const {
  const auto s = static_cast<std::size_t>(step);
  return s < totals_.size() ? totals_[s].seconds[static_cast<int>(activity)] : 0;
}

void Trace::forget(int step) {
  if (step < steps()) totals_[static_cast<std::size_t>(step)] = {};
}

}  // namespace shardfft
