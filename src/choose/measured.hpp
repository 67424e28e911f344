#pragma once
// Measured times, as text for reports.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace shardfft {

/// The element of that name; a new one at the end if there is none.
template <class Element>
Element& named(std::vector<Element>& all, const std::string& name) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const Element& one) { return one.name == name; });
  return known != all.end() ? *known : all.emplace_back(Element{.name = name});
}

/// Times by name, the least of several with one name: "measured: slab 1.2 ms, pencil 1.6 ms".
class Measured {
 public:
  void add(const std::string& name, double seconds) {
    Time& known = named(times_, name);
    known.seconds = std::min(known.seconds, seconds);
  }

  std::string text() const {
    if (times_.empty()) return "there is no memory to measure others with";
    if (times_.size() < 2) return "others take too long to measure or need more memory";
    Text text;
    text << "measured:" << std::setprecision(3);
    for (const Time& time : times_)
      text << (&time == times_.data() ? " " : ", ") << time.name << " " << time.seconds * 1e3 << " ms";
    return text.str();
  }

 private:
  struct Time {
    std::string name;
    double seconds = std::numeric_limits<double>::infinity();
  };
  std::vector<Time> times_;
};

}  // namespace shardfft
