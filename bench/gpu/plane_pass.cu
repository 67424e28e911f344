// Both axes of planes in one pass, against cuFFT's z lines followed by a line pass over y, and cuFFT's 2-D plans.
//   plane_pass [-planes 256] [-types Z2Z,C2C] n ...
// Half: only half of the columns, as the first part of a slab that is cut in z.
#include "common.cuh"
#include "cuda/lines/plane_pass.hpp"

using namespace shardfft;
namespace lines = shardfft::cuda::lines;

namespace {

struct Problem {
  int n, planes;
  Precision precision;
  std::size_t count() const { return static_cast<std::size_t>(planes) * n * n; }
  std::size_t bytes() const { return count() * (precision == Precision::f64 ? 16 : 8); }
  const char* name() const { return precision == Precision::f64 ? "Z2Z" : "C2C"; }
};

struct Arrays {
  void *a = nullptr, *b = nullptr, *c = nullptr;
  std::uint32_t* counters = nullptr;
};

cufftHandle plan_of(const Problem& p, int rank) {
  cufftHandle plan;
  std::size_t work;
  long long n[2] = {p.n, p.n};
  CHECK(cufftCreate(&plan));
  CHECK(cufftMakePlanMany64(plan, rank, n, nullptr, 1, 0, nullptr, 1, 0,
                            p.precision == Precision::f64 ? CUFFT_Z2Z : CUFFT_C2C,
                            rank == 2 ? p.planes : static_cast<long long>(p.planes) * p.n, &work));
  return plan;
}
void execute(const Problem& p, cufftHandle plan, void* in, void* out, Direction d) {
  const int sign = d == Direction::forward ? CUFFT_FORWARD : CUFFT_INVERSE;
  if (p.precision == Precision::f64)
    CHECK(cufftExecZ2Z(plan, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out), sign));
  else
    CHECK(cufftExecC2C(plan, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), sign));
}

lines::Pass columns(const Problem& p, void* in, void* out, Direction d, int width) {
  lines::Pass pass;
  pass.n = p.n;
  pass.precision = p.precision;
  pass.direction = d;
  pass.in.part[0] = {in, p.n, static_cast<std::int64_t>(p.n) * p.n};
  pass.out.part[0] = {out, p.n, static_cast<std::int64_t>(p.n) * p.n};
  pass.outer_end = p.planes;
  pass.m_end = width;
  return pass;
}

void run_problem(const Problem& p, Arrays& g) {
  CHECK(cudaMalloc(&g.a, p.bytes()));
  CHECK(cudaMalloc(&g.b, p.bytes()));
  CHECK(cudaMalloc(&g.c, p.bytes()));
  CHECK(cudaMalloc(&g.counters, lines::plane_counters(p.planes) * sizeof(std::uint32_t)));
  lines::prepare(p.n, p.precision);
  const cufftHandle flat = plan_of(p, 2), rows = plan_of(p, 1);
  const auto fill = [&] {
    if (p.precision == Precision::f64)
      bench::fill<double>(g.a, 2 * p.count(), 0, 3);
    else
      bench::fill<float>(g.a, 2 * p.count(), 0, 3);
  };
  const auto report = [&](const char* what, double ms) {
    bench::line(
        "\"driver\":\"plane_pass\",\"n\":%d,\"planes\":%d,\"type\":\"%s\",\"what\":\"%s\",\"ms\":%.4f,\"gb_s\":%.0f",
        p.n, p.planes, p.name(), what, ms, 2e-6 * static_cast<double>(p.bytes()) / ms);
  };
  const auto timed = [&](const char* what, auto body) {
    fill();
    report(what, bench::time_all(
                     1, 2, 7, [] {}, body));
  };
  for (const Direction d : {Direction::forward, Direction::backward}) {
    const bool forward = d == Direction::forward;
    const auto plane_pass = [&](int width) {
      lines::PlanePass pass{columns(p, g.b, g.b, d, width), g.b};
      if (forward) pass.rows = g.a;
      if (!forward) pass.columns.in.part[0].base = g.a;
      lines::run(pass, g.counters, nullptr);
    };
    fill();
    plane_pass(p.n);
    execute(p, flat, g.a, g.c, d);
    CHECK(cudaDeviceSynchronize());
    const double error = p.precision == Precision::f64 ? bench::relative_difference<double>(g.b, g.c, 2 * p.count())
                                                       : bench::relative_difference<float>(g.b, g.c, 2 * p.count());
    bench::line("\"driver\":\"plane_pass\",\"n\":%d,\"type\":\"%s\",\"what\":\"error %s\",\"value\":%.2e", p.n,
                p.name(), forward ? "forward" : "backward", error);
    timed(forward ? "forward" : "backward", [&] { plane_pass(p.n); });
    timed(forward ? "forward, half" : "backward, half", [&] { plane_pass(p.n / 2); });
  }
  timed("z lines, y lines", [&] {
    execute(p, rows, g.a, g.b, Direction::forward);
    lines::run(columns(p, g.b, g.b, Direction::forward, p.n), nullptr);
  });
  timed("z lines, y lines, half", [&] {
    execute(p, rows, g.a, g.b, Direction::forward);
    lines::run(columns(p, g.b, g.b, Direction::forward, p.n / 2), nullptr);
  });
  timed("cufft 2-D", [&] { execute(p, flat, g.a, g.b, Direction::forward); });
  timed("copy", [&] { CHECK(cudaMemcpyAsync(g.b, g.a, p.bytes(), cudaMemcpyDeviceToDevice)); });
  CHECK(cufftDestroy(flat));
  CHECK(cufftDestroy(rows));
  for (void* memory : {g.a, g.b, g.c, static_cast<void*>(g.counters)}) CHECK(cudaFree(memory));
}

}  // namespace

int main(int argc, char** argv) {
  int planes = 256;
  std::string types = "Z2Z,C2C";
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      if (name == "-planes" && i + 1 < argc) {
        planes = std::atoi(argv[++i]);
      } else if (name == "-types" && i + 1 < argc) {
        types = argv[++i];
      } else {
        for (const Precision precision : {Precision::f64, Precision::f32}) {
          Arrays arrays;
          const Problem p{std::atoi(name.c_str()), planes, precision};
          if (types.find(p.name()) != std::string::npos) run_problem(p, arrays);
        }
      }
    }
  } catch (const std::exception& e) {
    bench::line("\"error\":\"%s\"", e.what());
    return 1;
  }
}
