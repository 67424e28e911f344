// Both axes of planes in one pass, against cuFFT's z lines followed by a line pass over y, and cuFFT's 2-D plans.
//   plane_pass [-planes 256] [-types Z2Z,C2C,D2Z,R2C] [-timed 1] n ...
// Real planes have half spectra padded to whole bundles, as in a slab. Half: only half of the columns, as the first
// part of a slab that is cut in z.
#include <cufftXt.h>

#include "common.cuh"
#include "device/plane_pass.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

struct Problem {
  int n, planes;
  Precision precision;
  bool real, timed;
  std::int64_t pitch() const { return real ? lines::whole_bundles(n / 2 + 1, precision) : n; }
  std::size_t rows() const { return static_cast<std::size_t>(planes) * n; }
  std::size_t component() const { return precision == Precision::f64 ? 8 : 4; }
  std::size_t components(bool spectra) const { return spectra || !real ? 2 * rows() * pitch() : rows() * n; }
  std::size_t bytes(bool spectra) const { return components(spectra) * component(); }
  const char* name() const { return precision == Precision::f64 ? (real ? "D2Z" : "Z2Z") : (real ? "R2C" : "C2C"); }
};

/// In: field forward, spectra backward; out and reference: the other one; complex planes in between.
struct Arrays {
  void *in = nullptr, *out = nullptr, *reference = nullptr, *planes = nullptr;
  std::uint32_t* counters = nullptr;
};

/// cuFFT's plan along the last axis, or both.
cufftHandle plan_of(const Problem& p, int rank, Direction d) {
  cufftHandle plan;
  std::size_t work;
  const long long pitch = p.pitch(), n = p.n;
  long long extents[2] = {n, n}, real[2] = {n, n}, spectra[2] = {n, pitch};
  const bool forward = d == Direction::forward, f64 = p.precision == Precision::f64;
  const cufftType type = !p.real   ? (f64 ? CUFFT_Z2Z : CUFFT_C2C)
                         : forward ? (f64 ? CUFFT_D2Z : CUFFT_R2C)
                                   : (f64 ? CUFFT_Z2D : CUFFT_C2R);
  const long long field_distance = rank == 2 ? n * n : n, distance = rank == 2 ? n * pitch : pitch;
  CHECK(cufftCreate(&plan));
  CHECK(cufftMakePlanMany64(plan, rank, extents, forward ? real + 2 - rank : spectra + 2 - rank, 1,
                            forward ? field_distance : distance, forward ? spectra + 2 - rank : real + 2 - rank, 1,
                            forward ? distance : field_distance, type,
                            rank == 2 ? p.planes : static_cast<long long>(p.rows()), &work));
  return plan;
}
void execute(cufftHandle plan, void* in, void* out, Direction d) {
  CHECK(cufftXtExec(plan, in, out, d == Direction::forward ? CUFFT_FORWARD : CUFFT_INVERSE));
}

lines::Pass columns(const Problem& p, void* in, void* out, Direction d, std::int64_t width) {
  lines::Pass pass;
  pass.n = p.n;
  pass.precision = p.precision;
  pass.direction = d;
  pass.in.part[0] = {in, p.pitch(), p.n * p.pitch()};
  pass.out.part[0] = {out, p.pitch(), p.n * p.pitch()};
  pass.outer_end = p.planes;
  pass.m_end = width;
  return pass;
}

template <class T>
double error_of(const Problem& p, const Arrays& g, bool spectra) {
  return bench::relative_difference<T>(g.out, g.reference, p.components(spectra));
}

void run_direction(const Problem& p, const Arrays& g, Direction d) {
  const bool forward = d == Direction::forward, f64 = p.precision == Precision::f64;
  const std::string direction = forward ? "forward" : "backward";
  const std::int64_t bundle = lines::granule(p.precision), half = p.pitch() / 2 / bundle * bundle;
  const auto fill = [&](void* array, bool spectra) {
    if (f64)
      bench::fill<double>(array, p.components(spectra), 0, 3);
    else
      bench::fill<float>(array, p.components(spectra), 0, 3);
  };
  const auto timed = [&](const std::string& what, auto body) {
    fill(g.in, !forward);
    const double ms = bench::time_all(
        1, 2, 7, [] {}, body);
    bench::line(
        "\"driver\":\"plane_pass\",\"n\":%d,\"planes\":%d,\"type\":\"%s\",\"what\":\"%s\",\"ms\":%.4f,\"gb_s\":%.0f",
        p.n, p.planes, p.name(), what.c_str(), ms, 1e-6 * static_cast<double>(p.bytes(true) + p.bytes(false)) / ms);
  };
  const auto plane_pass = [&](std::int64_t width) {
    // Rows that come last are read from where columns left them.
    void* const inner = p.real ? g.planes : g.out;
    void* const from = forward ? inner : g.in;
    void* const to = forward ? g.out : inner;
    lines::PlanePass pass;
    pass.columns = columns(p, from, to, d, width);
    pass.m = p.n;
    pass.rows = {forward ? g.in : g.out, p.n, std::int64_t{p.n} * p.n};
    pass.real = p.real;
    lines::run(pass, g.counters, nullptr);
  };
  const cufftHandle flat = plan_of(p, 2, d), rows = plan_of(p, 1, d);
  for (void* memory : {g.out, g.reference, g.planes}) CHECK(cudaMemset(memory, 0, p.bytes(true)));
  if (p.real && !forward) {  // c2r wants spectra of real fields
    const cufftHandle there = plan_of(p, 2, Direction::forward);
    fill(g.reference, false);
    execute(there, g.reference, g.in, Direction::forward);
    CHECK(cufftDestroy(there));
  } else {
    fill(g.in, !forward);
  }
  plane_pass(p.pitch());
  execute(flat, g.in, g.reference, d);
  CHECK(cudaDeviceSynchronize());
  if (p.real && forward)  // what the padding holds means nothing
    for (void* memory : {g.out, g.reference})
      CHECK(cudaMemset2D(static_cast<char*>(memory) + (p.n / 2 + 1) * 2 * p.component(), p.pitch() * 2 * p.component(),
                         0, (p.pitch() - p.n / 2 - 1) * 2 * p.component(), p.rows()));
  bench::line("\"driver\":\"plane_pass\",\"n\":%d,\"type\":\"%s\",\"what\":\"error %s\",\"value\":%.2e", p.n, p.name(),
              direction.c_str(), f64 ? error_of<double>(p, g, forward) : error_of<float>(p, g, forward));
  if (p.timed) {
    timed(direction, [&] { plane_pass(p.pitch()); });
    timed(direction + ", half", [&] { plane_pass(half); });
    for (const std::int64_t width : {p.pitch(), half})
      timed(direction + ", two passes" + (width == half ? ", half" : ""), [&] {
        void* const inner = p.real ? g.planes : g.out;
        if (forward) {
          execute(rows, g.in, inner, d);
          lines::run(columns(p, inner, g.out, d, width), nullptr);
        } else {
          lines::run(columns(p, g.in, inner, d, width), nullptr);
          execute(rows, inner, g.out, d);
        }
      });
    timed(direction + ", cufft 2-D", [&] { execute(flat, g.in, g.out, d); });
  }
  CHECK(cufftDestroy(flat));
  CHECK(cufftDestroy(rows));
}

void run_problem(const Problem& p) {
  Arrays g;
  for (void** memory : {&g.in, &g.out, &g.reference, &g.planes}) CHECK(cudaMalloc(memory, p.bytes(true)));
  CHECK(cudaMalloc(&g.counters, lines::plane_counters(p.planes) * sizeof(std::uint32_t)));
  lines::prepare(p.n, p.precision);
  lines::prepare_planes(p.n, p.n, p.precision, p.real);
  run_direction(p, g, Direction::forward);
  run_direction(p, g, Direction::backward);
  for (void* memory : {g.in, g.out, g.reference, g.planes, static_cast<void*>(g.counters)}) CHECK(cudaFree(memory));
}

}  // namespace

int main(int argc, char** argv) {
  int planes = 256;
  bool timed = true;
  std::string types = "Z2Z,C2C,D2Z,R2C";
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name == "-planes" && i + 1 < argc) {
        planes = std::atoi(argv[++i]);
      } else if (name == "-types" && i + 1 < argc) {
        types = argv[++i];
      } else if (name == "-timed" && i + 1 < argc) {
        timed = std::string(argv[++i]) == "1";
      } else {
        for (const bool real : {false, true})
          for (const Precision precision : {Precision::f64, Precision::f32}) {
            const Problem p{std::atoi(name.c_str()), planes, precision, real, timed};
            if (types.find(p.name()) != std::string::npos) run_problem(p);
          }
      }
    }
  } catch (const std::exception& e) {
    bench::line("\"error\":\"%s\"", e.what());
    return 1;
  }
}
