// What the option verify costs on one GPU: gpu_verify n0xn1xn2 ...
// A JSON line a shape, kind and precision: milliseconds of a forward and a backward transform without and with it, the
// medians of pairs in turn; how many sums were compared, and how near the largest difference came to what is allowed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "shardfft/shardfft.hpp"

using namespace shardfft;

namespace {

/// A plan and its arrays.
class Side {
 public:
  Side(const Shape& shape, Transform transform, bool verify)
      : plan_(Devices{0}, transform, Layout::slab(shape, 1), default_output, options(verify)),
        field_(plan_.allocate_input(0)),
        spectrum_(plan_.allocate_output(0)) {}

  void fill(const void* numbers) {
    plan_.forward(std::vector<const void*>{numbers}, std::vector<void*>{spectrum_.data()});
    back();
  }
  double pair() {
    const auto begin = std::chrono::steady_clock::now();
    plan_.forward(std::vector<const void*>{field_.data()}, std::vector<void*>{spectrum_.data()});
    back();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
  PlanReport report() { return plan_.report(); }

 private:
  static Options options(bool verify) {
    Options all;
    all.norm = Norm::backward;
    all.verify = verify;
    return all;
  }
  void back() { plan_.backward(std::vector<const void*>{spectrum_.data()}, std::vector<void*>{field_.data()}); }

  Plan plan_;
  Buffer field_, spectrum_;
};

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

template <class T>
void measure(const Shape& shape, const std::string& name, Kind kind) {
  const bool is_complex = kind == Kind::c2c;
  std::vector<T> numbers(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]) * (is_complex ? 2 : 1));
  std::uint32_t state = 1;
  for (T& x : numbers) x = static_cast<T>(state = state * 1664525U + 1013904223U) / T(1U << 31) - T(1);
  constexpr Precision precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;
  Side plain(shape, {kind, precision}, false), checked(shape, {kind, precision}, true);
  plain.fill(numbers.data());
  checked.fill(numbers.data());
  std::vector<double> ms, verified_ms;
  for (int round = 0; round < 16; ++round) {
    const double first = plain.pair(), second = checked.pair();
    if (round < 5) continue;  // graphs are made
    ms.push_back(first);
    verified_ms.push_back(second);
  }
  const PlanReport report = checked.report();
  std::printf(
      "{\"driver\":\"verify\",\"shape\":\"%s\",\"kind\":\"%s\",\"precision\":\"%s\",\"pair_ms\":%.4f,"
      "\"verified_pair_ms\":%.4f,\"factor\":%.4f,\"checks\":%lld,\"largest_residual\":%.3g,\"by\":\"%s\"}\n",
      name.c_str(), is_complex ? "c2c" : "r2c", sizeof(T) == 8 ? "double" : "single", median(ms), median(verified_ms),
      median(verified_ms) / median(ms), static_cast<long long>(report.forward.checks),
      std::max(report.forward.largest_residual, report.backward.largest_residual),
      report.forward.steps.front().text.c_str());
  std::fflush(stdout);
}

Shape shape_of(const std::string& text) {
  long long n[3] = {};
  if (std::sscanf(text.c_str(), "%lldx%lldx%lld", &n[0], &n[1], &n[2]) != 3)
    throw Error(Status::invalid_argument, "no shape: " + text);
  return {n[0], n[1], n[2]};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i)
      for (const Kind kind : {Kind::c2c, Kind::r2c}) {
        measure<double>(shape_of(argv[i]), argv[i], kind);
        measure<float>(shape_of(argv[i]), argv[i], kind);
      }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
