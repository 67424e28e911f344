// Plane passes of any size beside the two passes that they stand for, and a copy:
// gpu_planes [-gigabytes G] [-candidates K] [-types Z2Z,C2C] [-layouts dense,woven] [-directions forward,backward] NxM
// ... Planes of N rows of M points, G gigabytes an array: dense, [planes][N][M], or woven, [N][planes][M]. Two passes:
// rows by cuFFT, columns by a line pass. A JSON line for each of the K best recipes; the error is the relative
// difference from the two passes in the l2 norm.
#include <sstream>

#include "common.cuh"
#include "device/cuda/lines/plane_launch.hpp"
#include "device/handles.hpp"
#include "device/vendor_fft.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

struct Problem {
  int n, m;
  Precision precision;
  Direction direction;
  bool woven;
  std::int64_t planes;

  std::size_t element() const { return precision == Precision::f64 ? 16 : 8; }
  std::size_t points() const { return static_cast<std::size_t>(planes * n) * static_cast<std::size_t>(m); }
  std::size_t bytes() const { return points() * element(); }
  std::int64_t row() const { return woven ? planes * m : m; }
  std::int64_t plane() const { return woven ? m : std::int64_t{n} * m; }
  const char* type() const { return precision == Precision::f64 ? "Z2Z" : "C2C"; }
};

template <class Body>
double milliseconds(Body body) {
  return bench::time_all(
      1, 2, 5, [] {}, body);
}

lines::Pass columns_of(const Problem& p, void* in, void* out) {
  lines::Pass pass;
  pass.n = p.n;
  pass.precision = p.precision;
  pass.direction = p.direction;
  pass.in.part[0] = {in, p.row(), p.plane()};
  pass.out.part[0] = {out, p.row(), p.plane()};
  pass.outer_end = p.planes;
  pass.m_end = p.m;
  return pass;
}

lines::PlanePass planes_of(const Problem& p, void* in, void* out) {
  lines::PlanePass pass;
  const bool forward = p.direction == Direction::forward;
  pass.columns = columns_of(p, forward ? out : in, out);
  pass.m = p.m;
  pass.rows = {forward ? in : out, p.row(), p.plane()};
  return pass;
}

double difference(const Problem& p, const void* a, const void* b) {
  return p.precision == Precision::f64 ? bench::relative_difference<double>(a, b, 2 * p.points())
                                       : bench::relative_difference<float>(a, b, 2 * p.points());
}

void measure(const Problem& p, std::size_t candidates) {
  if (!lines::planes_supported(p.n, p.m, p.precision, false) || !lines::supported(p.n)) {
    bench::line("\"driver\":\"planes\",\"n\":%d,\"m\":%d,\"type\":\"%s\",\"skipped\":\"no kernels\"", p.n, p.m,
                p.type());
    return;
  }
  const device::Memory a = device::make_memory(p.bytes()), b = device::make_memory(p.bytes()),
                       c = device::make_memory(p.bytes()),
                       counters = device::make_memory(lines::plane_counters(p.planes) * sizeof(std::uint32_t));
  if (p.precision == Precision::f64)
    bench::fill<double>(a.get(), 2 * p.points(), 0, 1);
  else
    bench::fill<float>(a.get(), 2 * p.points(), 0, 1);
  const double copy =
      milliseconds([&] { CHECK(cudaMemcpyAsync(b.get(), a.get(), p.bytes(), cudaMemcpyDeviceToDevice)); });
  device::VendorFftSpec spec;
  spec.precision = p.precision;
  spec.extents = {p.m};
  spec.batch = p.planes * p.n;
  spec.in = spec.out = {{p.m}, 1, p.m};
  const device::VendorFft rows(spec);
  lines::prepare(p.n, p.precision);
  const auto two_passes = [&] {
    if (p.direction == Direction::forward) {
      rows.execute(a.get(), b.get(), p.direction, nullptr);
      lines::run(columns_of(p, b.get(), b.get()), nullptr);
    } else {
      lines::run(columns_of(p, a.get(), b.get()), nullptr);
      rows.execute(b.get(), b.get(), p.direction, nullptr);
    }
  };
  two_passes();
  const double two = milliseconds(two_passes);
  std::vector<lines::PlaneCut> cuts = lines::plane_cuts(p.n, p.m, lines::hardware_of(device::current_facts()));
  cuts.resize(std::min(cuts.size(), candidates));
  if (const lines::PlaneCut* own = lines::own_plane_cut(p.n, p.m)) cuts.insert(cuts.begin(), *own);
  for (const lines::PlaneCut& cut : cuts) {
    const auto prepared = lines::make_prepared(cut, p.precision, {});
    CHECK(cudaMemset(c.get(), 0xff, p.bytes()));
    const auto run = [&] {
      lines::launch(*prepared, planes_of(p, a.get(), c.get()), static_cast<std::uint32_t*>(counters.get()), nullptr);
    };
    run();
    const double error = difference(p, c.get(), b.get()), ms = milliseconds(run);
    bench::line(
        "\"driver\":\"planes\",\"n\":%d,\"m\":%d,\"planes\":%lld,\"type\":\"%s\",\"layout\":\"%s\",\"direction\":\"%"
        "s\","
        "\"lines\":%d,\"width\":%d,\"groups\":%d,\"threads\":%d,\"points\":%d,\"copy_ms\":%.3f,\"two_ms\":%.3f,"
        "\"plane_ms\":%.3f,\"error\":%.1e",
        p.n, p.m, static_cast<long long>(p.planes), p.type(), p.woven ? "woven" : "dense",
        p.direction == Direction::forward ? "forward" : "backward", cut.lines, cut.width, cut.groups, cut.threads(),
        cut.points(), copy, two, ms, error);
  }
}

std::string take(int argc, char** argv, int& i) { return ++i < argc ? argv[i] : ""; }

}  // namespace

int main(int argc, char** argv) {
  double gigabytes = 2;
  std::size_t candidates = 1;
  std::string types = "Z2Z,C2C", layouts = "dense,woven", directions = "forward,backward";
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name == "-gigabytes") {
        gigabytes = std::atof(take(argc, argv, i).c_str());
      } else if (name == "-candidates") {
        candidates = static_cast<std::size_t>(std::atoi(take(argc, argv, i).c_str()));
      } else if (name == "-types") {
        types = take(argc, argv, i);
      } else if (name == "-layouts") {
        layouts = take(argc, argv, i);
      } else if (name == "-directions") {
        directions = take(argc, argv, i);
      } else {
        int n = 0, m = 0;
        if (std::sscanf(name.c_str(), "%dx%d", &n, &m) != 2) fail(Status::invalid_argument, "no size: ", name);
        for (const Precision precision : {Precision::f64, Precision::f32})
          for (const Direction direction : {Direction::forward, Direction::backward})
            for (const bool woven : {false, true}) {
              Problem p{n, m, precision, direction, woven, 1};
              p.planes = std::max<std::int64_t>(
                  1, static_cast<std::int64_t>(gigabytes * 1e9) / static_cast<std::int64_t>(p.bytes()));
              const bool wanted =
                  types.find(p.type()) != std::string::npos &&
                  layouts.find(woven ? "woven" : "dense") != std::string::npos &&
                  directions.find(direction == Direction::forward ? "forward" : "backward") != std::string::npos;
              if (wanted) measure(p, candidates);
            }
      }
    }
  } catch (const std::exception& e) {
    bench::line("\"error\":\"%s\"", e.what());
    return 1;
  }
}
