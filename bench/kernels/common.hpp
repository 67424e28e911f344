#pragma once
// What probes share: clocks, medians, JSON lines, lists of the command line.
#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.hpp"

namespace bench {

inline double milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? -1 : v[v.size() / 2];
}

/// One JSON object a line: line("\"case\":\"%s\"", ...) adds braces and flushes.
inline void line(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::printf("{");
  std::vprintf(format, args);
  std::printf("}\n");
  std::fflush(stdout);
  va_end(args);
}

/// Lists by the names of the command line, which begin with a dash; what is measured under "". Names that `lists` has
/// no defaults for are refused.
using Lists = std::map<std::string, std::vector<std::string>>;
inline Lists read_lists(int argc, char** argv, Lists lists) {
  for (int i = 0; i < argc; ++i) {
    if (argv[i][0] != '-') {
      lists[""].push_back(argv[i]);
      continue;
    }
    shardfft::require(lists.contains(argv[i]) && i + 1 < argc, "no option with a value: ", argv[i]);
    std::vector<std::string>& list = lists[argv[i]];
    list.clear();
    std::istringstream text(argv[++i]);
    for (std::string item; std::getline(text, item, ',');) list.push_back(item);
  }
  return lists;
}
inline bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace bench
