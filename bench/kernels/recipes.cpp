// The K best recipes of plane passes beside the two passes that they stand for, rows by cuFFT and columns by a line
// pass:
//   gpu_passes recipes [-candidates K] [-gigabytes G] [-types Z2Z,C2C] [-directions forward,backward] NxM ...
// A JSON line a recipe; the error is the relative difference from the two passes in the l2 norm.
#include <cmath>
#include <complex>

#include "device/cuda/lines/plane_launch.hpp"
#include "device/plane_pass.hpp"
#include "device/vendor_fft.hpp"
#include "passes.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

struct Problem {
  int n, m;
  bench::Type type;
  Direction direction;
  std::int64_t planes;
  std::size_t bytes() const { return static_cast<std::size_t>(planes * n * m) * type.complex_bytes(); }
};

lines::Pass columns_of(const Problem& p, void* in, void* out) {
  lines::Pass pass;
  pass.n = p.n;
  pass.precision = p.type.precision;
  pass.direction = p.direction;
  const lines::Part from{in, p.m, std::int64_t{p.n} * p.m}, to{out, p.m, std::int64_t{p.n} * p.m};
  pass.in.part[0] = from;
  pass.out.part[0] = to;
  pass.outer_end = p.planes;
  pass.m_end = p.m;
  return pass;
}

template <class T>
double difference_of(const Problem& p, const void* a, const void* b) {
  std::vector<std::complex<T>> got(p.bytes() / sizeof(std::complex<T>)), wanted(got.size());
  device::copy_bytes(got.data(), a, p.bytes(), nullptr);
  device::copy_bytes(wanted.data(), b, p.bytes(), nullptr);
  device::synchronize(nullptr);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += std::norm(got[i] - wanted[i]);
    norm += std::norm(wanted[i]);
  }
  return std::sqrt(error / norm);
}

void fill(const Problem& p, void* memory) {
  std::vector<std::uint32_t> words(p.bytes() / 4);
  std::uint32_t state = 1;  // numbers between 1 and 2
  for (std::size_t i = 0; i < words.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    const bool top = p.type.precision == Precision::f32 || i % 2 == 1;
    words[i] = !top ? state : p.type.precision == Precision::f32 ? 0x3f800000U | state >> 9 : 0x3ff00000U | state >> 12;
  }
  device::copy_bytes(memory, words.data(), p.bytes(), nullptr);
  device::synchronize(nullptr);
}

void measure(const Problem& p, std::size_t candidates) {
  const bool forward = p.direction == Direction::forward;
  require(lines::planes_supported(p.n, p.m, p.type.precision, false) && lines::supported(p.n),
          "there are no kernels for ", p.n, "x", p.m);
  const device::Memory a = device::make_memory(p.bytes()), b = device::make_memory(p.bytes()),
                       c = device::make_memory(p.bytes()),
                       counters = device::make_memory(lines::plane_counters(p.planes) * sizeof(std::uint32_t));
  fill(p, a.get());
  const double copy = bench::time_of([&] { device::copy_bytes(b.get(), a.get(), p.bytes(), nullptr); });
  device::VendorFftSpec spec;
  spec.precision = p.type.precision;
  spec.extents = {p.m};
  spec.batch = p.planes * p.n;
  spec.in = spec.out = {{p.m}, 1, p.m};
  const device::VendorFft rows(spec);
  lines::prepare(p.n, p.type.precision);
  const auto two_passes = [&] {
    if (forward) rows.execute(a.get(), b.get(), p.direction, nullptr);
    lines::run(columns_of(p, forward ? b.get() : a.get(), b.get()), nullptr);
    if (!forward) rows.execute(b.get(), b.get(), p.direction, nullptr);
  };
  two_passes();
  const double two = bench::time_of(two_passes);
  std::vector<lines::PlaneCut> cuts = lines::plane_cuts(p.n, p.m, lines::hardware_of(device::current_facts()));
  cuts.resize(std::min(cuts.size(), candidates));
  if (const lines::PlaneCut* own = lines::own_plane_cut(p.n, p.m)) cuts.insert(cuts.begin(), *own);
  for (const lines::PlaneCut& cut : cuts) {
    const auto prepared = lines::make_prepared(cut, p.type.precision, {});
    lines::PlanePass pass;
    pass.columns = columns_of(p, forward ? c.get() : a.get(), c.get());
    pass.m = p.m;
    pass.rows = {forward ? a.get() : c.get(), p.m, std::int64_t{p.n} * p.m};
    const auto run = [&] { lines::launch(*prepared, pass, static_cast<std::uint32_t*>(counters.get()), nullptr); };
    run();
    const double error = p.type.precision == Precision::f64 ? difference_of<double>(p, c.get(), b.get())
                                                            : difference_of<float>(p, c.get(), b.get());
    bench::line(
        "\"driver\":\"recipes\",\"n\":%d,\"m\":%d,\"planes\":%lld,\"type\":\"%s\",\"direction\":\"%s\",\"lines\":%d,"
        "\"width\":%d,\"groups\":%d,\"threads\":%d,\"points\":%d,\"copy_ms\":%.3f,\"two_ms\":%.3f,\"plane_ms\":%.3f,"
        "\"error\":%.1e",
        p.n, p.m, static_cast<long long>(p.planes), p.type.name, forward ? "forward" : "backward", cut.lines, cut.width,
        cut.groups, cut.threads(), cut.points(), copy, two, bench::time_of(run), error);
  }
}

}  // namespace

void bench::plane_recipes(const Lists& lists) {
  for (const std::string& text : lists.at(""))
    for (const Type& type : types)
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const Size size = size_of(text);
        if (type.real || !has(lists.at("-types"), type.name) ||
            !has(lists.at("-directions"), direction == Direction::forward ? "forward" : "backward"))
          continue;
        require(size.m > 0, "planes are NxM, not ", text);
        const std::int64_t plane = size.n * size.m * static_cast<std::int64_t>(type.complex_bytes());
        measure({narrow(size.n, "rows"), narrow(size.m, "points of a row"), type, direction, count_for(lists, plane)},
                static_cast<std::size_t>(std::stoul(lists.at("-candidates").front())));
      }
}
