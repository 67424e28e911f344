#pragma once
// Measured times, as text for reports.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace shardfft {

/// Times by name, the least of several with one name: "measured: slab 1.2 ms, pencil 1.6 ms".
class Measured {
 public:
  void add(const std::string& name, double seconds) {
    const auto known = std::find_if(times_.begin(), times_.end(), [&](const auto& time) { return time.first == name; });
    if (known == times_.end())
      times_.emplace_back(name, seconds);
    else
      known->second = std::min(known->second, seconds);
  }

  std::string text() const {
    if (times_.empty()) return "there is no memory to measure others with";
    if (times_.size() < 2) return "others take too long to measure or need more memory";
    Text text;
    text << "measured:" << std::setprecision(3);
    for (const auto& time : times_)
      text << (&time == times_.data() ? " " : ", ") << time.first << " " << time.second * 1e3 << " ms";
    return text.str();
  }

 private:
  std::vector<std::pair<std::string, double>> times_;
};

}  // namespace shardfft
