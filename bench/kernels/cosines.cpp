// Cosine and sine transforms of cubes on one GPU beside r2c: gpu_cosines n ...
// A JSON line a size, precision and type: milliseconds of a forward and a backward transform, the median of ten pairs.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "shardfft/shardfft.hpp"

using namespace shardfft;

namespace {

/// What is left of a field after both directions, relative.
template <class T>
double error(const std::vector<T>& field, const std::vector<T>& back) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(field[i]) - static_cast<double>(back[i])));
    largest = std::max(largest, std::abs(static_cast<double>(field[i])));
  }
  return worst / largest;
}

template <class T>
void measure(std::int64_t n, const char* name, Transform transform, const Options& options) {
  Plan plan(Devices{0}, transform, Layout::slab({n, n, n}, 1), default_output, options);
  Buffer field = plan.allocate_input(0), spectrum = plan.allocate_output(0);
  std::vector<T> host(static_cast<std::size_t>(n * n * n)), back(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i)));
  // Any memory will do for a call: this one brings the numbers to the GPU and takes them back.
  const std::vector<const void*> from{host.data()}, spectra{spectrum.data()}, fields{field.data()};
  plan.forward(from, std::vector<void*>{spectrum.data()});
  plan.backward(spectra, std::vector<void*>{back.data()});
  const double difference = error(host, back);
  plan.backward(spectra, std::vector<void*>{field.data()});
  std::vector<double> ms;
  for (int repeat = 0; repeat < 13; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    plan.forward(fields, std::vector<void*>{spectrum.data()});
    plan.backward(spectra, std::vector<void*>{field.data()});
    const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (repeat >= 3) ms.push_back(took);
  }
  std::sort(ms.begin(), ms.end());
  std::printf(
      "{\"driver\":\"cosines\",\"n\":%lld,\"transform\":\"%s\",\"precision\":\"%s\",\"pair_ms\":%.4f,"
      "\"error\":%.3e}\n",
      static_cast<long long>(n), name, sizeof(T) == 8 ? "double" : "single", (ms[4] + ms[5]) / 2, difference);
  std::fflush(stdout);
}

template <class T>
void measure_all(std::int64_t n) {
  constexpr Precision precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;
  Options options;
  options.norm = Norm::backward;
  measure<T>(n, "r2c", {Kind::r2c, precision}, options);
  const std::pair<const char*, AxisTransform> types[] = {{"dct1", AxisTransform::dct1},
                                                         {"dct2", AxisTransform::dct2},
                                                         {"dct4", AxisTransform::dct4},
                                                         {"dst2", AxisTransform::dst2}};
  for (const auto& [name, type] : types) {
    options.transforms = {type, type, type};
    measure<T>(n, name, {Kind::r2r, precision}, options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: gpu_cosines n ...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    measure_all<double>(std::atoll(argv[i]));
    measure_all<float>(std::atoll(argv[i]));
  }
}
