#pragma once
// The subcommands of gpu_passes; each gets the words behind its name.
#include <cstdint>
#include <string>

#include "common.hpp"
#include "device/handles.hpp"
#include "shardfft/types.hpp"

namespace bench {

void push_lines(const Lists& lists);
void plane_recipes(const Lists& lists);

/// Z2Z, C2C, D2Z, R2C.
struct Type {
  const char* name;
  shardfft::Precision precision;
  bool real;
  std::size_t complex_bytes() const { return precision == shardfft::Precision::f64 ? 16 : 8; }
};
inline constexpr Type types[] = {{"Z2Z", shardfft::Precision::f64, false},
                                 {"C2C", shardfft::Precision::f32, false},
                                 {"D2Z", shardfft::Precision::f64, true},
                                 {"R2C", shardfft::Precision::f32, true}};

struct Size {
  std::int64_t n, m = 0;  ///< m: of planes
};
inline Size size_of(const std::string& text) {
  long long n = 0, m = 0;
  const int found = std::sscanf(text.c_str(), "%lldx%lld", &n, &m);
  shardfft::require(found >= 1 && n > 0, "no size: ", text);
  return {n, m};
}
/// So many of `bytes` bytes as make G gigabytes, one at least.
inline std::int64_t count_for(const Lists& lists, std::int64_t bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::stod(lists.at("-gigabytes").front()) * 1e9) / bytes);
}

/// Median milliseconds of work that is enqueued on the default stream.
template <class Body>
double time_of(Body body) {
  std::vector<double> times;
  for (int run = 0; run < 9; ++run) {
    shardfft::device::synchronize(nullptr);
    const double begin = milliseconds();
    body();
    shardfft::device::synchronize(nullptr);
    if (run >= 2) times.push_back(milliseconds() - begin);
  }
  return median(times);
}

}  // namespace bench
