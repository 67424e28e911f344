// Line passes alone: against cuFFT's strided plan and a plain copy on one GPU; as the exchange of a slab transform
// (stores to, or loads from, the other GPU) with few and many thread blocks; and beside a local pass.
#include "common.cuh"
#include "device/line_pass.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

struct Gpu {
  void *a = nullptr, *b = nullptr, *c = nullptr;
  cudaStream_t link = nullptr, local = nullptr;
};

struct Problem {
  int n;
  Precision precision;
  int gpus;
  std::size_t element() const { return precision == Precision::f64 ? 16 : 8; }
  std::size_t share() const { return static_cast<std::size_t>(n) * n * n / 2; }  // always half: comparable figures
  double gigabytes() const { return share() * element() * 1e-9; }
  const char* name() const { return precision == Precision::f64 ? "Z2Z" : "C2C"; }
};

void fill(const Problem& p, void* a, std::uint64_t seed) {
  if (p.precision == Precision::f64)
    bench::fill<double>(a, 2 * p.share(), 0, seed);
  else
    bench::fill<float>(a, 2 * p.share(), 0, seed);
}
double difference(const Problem& p, const void* a, const void* b) {
  const std::size_t count = 2 * p.share();
  return p.precision == Precision::f64 ? bench::relative_difference<double>(a, b, count)
                                       : bench::relative_difference<float>(a, b, count);
}

/// Lines along the slowest axis of [n][n/2][n].
lines::Pass slow_lines(const Problem& p, void* in, void* out, Direction direction) {
  lines::Pass pass;
  pass.n = p.n;
  pass.precision = p.precision;
  pass.direction = direction;
  pass.in.part[0] = {in, static_cast<std::int64_t>(p.n) * p.n / 2, p.n};
  pass.out.part[0] = {out, static_cast<std::int64_t>(p.n) * p.n / 2, p.n};
  pass.outer_end = p.n / 2;
  pass.m_end = p.n;
  return pass;
}

/// Lines along the middle axis of [n/2][n][n], sent to [n][n/2][n] of two owners. `rank` owns planes from rank*n/2.
lines::Pass push_lines(const Problem& p, int rank, void* in, void* out0, void* out1) {
  lines::Pass pass = slow_lines(p, in, out0, Direction::forward);
  pass.in.part[0] = {in, p.n, static_cast<std::int64_t>(p.n) * p.n};
  const std::size_t first = static_cast<std::size_t>(rank) * p.n / 2 * p.n / 2 * p.n * p.element();
  pass.out.part[0] = {static_cast<char*>(out0) + first, p.n, static_cast<std::int64_t>(p.n) * p.n / 2};
  pass.out.part[1] = {static_cast<char*>(out1) + first, p.n, static_cast<std::int64_t>(p.n) * p.n / 2};
  pass.out.block = p.n / 2;
  return pass;
}
/// The mirror image: reads lines along the middle axis from the owners' [n][n/2][n], writes [n/2][n][n].
lines::Pass pull_lines(const Problem& p, int rank, void* in0, void* in1, void* out) {
  lines::Pass pass = push_lines(p, rank, out, in0, in1);
  std::swap(pass.in, pass.out);
  pass.direction = Direction::backward;
  return pass;
}

cufftHandle strided_plan(const Problem& p) {
  cufftHandle plan;
  std::size_t work;
  long long n[1] = {p.n}, m = static_cast<long long>(p.n) * p.n / 2;
  CHECK(cufftCreate(&plan));
  CHECK(cufftMakePlanMany64(plan, 1, n, n, m, 1, n, m, 1, p.precision == Precision::f64 ? CUFFT_Z2Z : CUFFT_C2C, m,
                            &work));
  return plan;
}
cufftHandle batched_plan(const Problem& p, int rank) {
  cufftHandle plan;
  std::size_t work;
  long long n[2] = {p.n, p.n}, batch = static_cast<long long>(p.n) * p.n / 2;
  if (rank == 2) batch = p.n / 2;
  CHECK(cufftCreate(&plan));
  CHECK(cufftMakePlanMany64(plan, rank, n, nullptr, 1, 0, nullptr, 1, 0,
                            p.precision == Precision::f64 ? CUFFT_Z2Z : CUFFT_C2C, batch, &work));
  return plan;
}
/// z lines of a real field into padded half spectra, and back: time of cuFFT's r2c and c2r.
void real_lines(const Problem& p, Gpu& g) {
  const bool wide = p.precision == Precision::f64;
  long long n[1] = {p.n}, pitch[1] = {(p.n / 2 + 1 + 31) / 32 * 32}, batch = static_cast<long long>(p.n) * p.n / 2;
  const double moved = static_cast<double>(batch) * (n[0] + 2.0 * pitch[0]) * (wide ? 8e-9 : 4e-9);
  for (const bool forward : {true, false}) {
    cufftHandle plan;
    std::size_t work;
    CHECK(cufftCreate(&plan));
    CHECK(cufftMakePlanMany64(plan, 1, n, forward ? n : pitch, 1, forward ? n[0] : pitch[0], forward ? pitch : n, 1,
                              forward ? pitch[0] : n[0],
                              forward ? (wide ? CUFFT_D2Z : CUFFT_R2C) : (wide ? CUFFT_Z2D : CUFFT_C2R), batch, &work));
    const double ms = bench::time_all(
        1, 2, 7, [] {},
        [&] {
          if (forward && wide) CHECK(cufftExecD2Z(plan, (double*)g.a, (cufftDoubleComplex*)g.b));
          if (forward && !wide) CHECK(cufftExecR2C(plan, (float*)g.a, (cufftComplex*)g.b));
          if (!forward && wide) CHECK(cufftExecZ2D(plan, (cufftDoubleComplex*)g.b, (double*)g.a));
          if (!forward && !wide) CHECK(cufftExecC2R(plan, (cufftComplex*)g.b, (float*)g.a));
        });
    bench::line(
        "\"driver\":\"line_pass\",\"n\":%d,\"type\":\"%s\",\"what\":\"cufft real lines\",\"ms\":%.3f,\"gb_s\":%.0f",
        p.n, forward ? (wide ? "D2Z" : "R2C") : (wide ? "Z2D" : "C2R"), ms, moved / ms * 1e3);
    CHECK(cufftDestroy(plan));
  }
}

void execute(const Problem& p, cufftHandle plan, void* in, void* out, int sign) {
  if (p.precision == Precision::f64)
    CHECK(cufftExecZ2Z(plan, static_cast<cufftDoubleComplex*>(in), static_cast<cufftDoubleComplex*>(out), sign));
  else
    CHECK(cufftExecC2C(plan, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), sign));
}

void report(const Problem& p, const char* what, double ms, double moved_gb, int blocks = 0) {
  bench::line(
      "\"driver\":\"line_pass\",\"n\":%d,\"type\":\"%s\",\"what\":\"%s\",\"blocks\":%d,\"ms\":%.3f,\"gb_s\":%.0f", p.n,
      p.name(), what, blocks, ms, moved_gb / ms * 1e3);
}

/// x lines between padded rows and the dense rows of a half spectrum, whose odd lengths align on one side only; of so
/// many rows between the points of a line.
void odd_rows(const Problem& p, Gpu& g, std::int64_t rows) {
  if (p.precision == Precision::f32 && !lines::takes_odd_rows(p.n)) return;
  for (const bool odd : {false, true})
    if (!odd || p.precision == Precision::f32) lines::prepare(p.n, p.precision, odd);
  const std::int64_t dense = p.n / 2 + 1, padded = lines::whole_bundles(dense, p.precision);
  const double moved = 2.0 * p.n * rows * dense * p.element() * 1e-9;
  const auto side = [&](void* base, std::int64_t length) {
    lines::Side made;
    made.part[0] = {base, rows * length, length};
    if (length == dense) made.columns = dense;
    return made;
  };
  const auto timed = [&](const char* what, std::int64_t in, std::int64_t out, bool align_stores) {
    lines::Pass pass;
    pass.n = p.n;
    pass.precision = p.precision;
    pass.in = side(g.a, in);
    pass.out = side(g.b, out);
    pass.outer_end = rows;
    pass.m_end = padded;
    pass.align_stores = align_stores;
    report(p, (std::to_string(rows) + " " + what).c_str(),
           bench::time_all(
               1, 2, 7, [] {}, [&] { lines::run(pass, nullptr); }),
           moved);
  };
  timed("padded rows", padded, padded, false);
  timed("padded to dense rows", padded, dense, false);
  timed("padded to dense rows, stores aligned", padded, dense, true);
  timed("dense to padded rows", dense, padded, false);
}

void one_gpu(const Problem& p, Gpu& g) {
  CHECK(cudaSetDevice(0));
  lines::prepare(p.n, p.precision);
  const double moved = 2 * p.gigabytes();
  const auto timed = [&](const char* what, auto body) {
    report(p, what,
           bench::time_all(
               1, 2, 7, [] {}, body),
           moved);
  };
  fill(p, g.a, 1);
  CHECK(cudaMemset(g.b, 0xff, p.share() * p.element()));
  const cufftHandle strided = strided_plan(p);
  for (const Direction d : {Direction::forward, Direction::backward}) {
    lines::run(slow_lines(p, g.a, g.b, d), nullptr);
    execute(p, strided, g.a, g.c, d == Direction::forward ? CUFFT_FORWARD : CUFFT_INVERSE);
    CHECK(cudaDeviceSynchronize());
    bench::line("\"driver\":\"line_pass\",\"n\":%d,\"type\":\"%s\",\"what\":\"error %s\",\"value\":%.2e", p.n, p.name(),
                d == Direction::forward ? "forward" : "backward", difference(p, g.b, g.c));
  }
  timed("copy", [&] { CHECK(cudaMemcpyAsync(g.b, g.a, p.share() * p.element(), cudaMemcpyDeviceToDevice)); });
  timed("cufft strided", [&] { execute(p, strided, g.a, g.b, CUFFT_FORWARD); });
  timed("lines slow axis", [&] { lines::run(slow_lines(p, g.a, g.b, Direction::forward), nullptr); });
  timed("lines slow axis in place", [&] { lines::run(slow_lines(p, g.c, g.c, Direction::forward), nullptr); });
  timed("lines middle axis", [&] { lines::run(push_lines(p, 0, g.a, g.b, g.c), nullptr); });
  CHECK(cufftDestroy(strided));
  const cufftHandle contiguous = batched_plan(p, 1), planes = batched_plan(p, 2);
  timed("cufft contiguous in place", [&] { execute(p, contiguous, g.c, g.c, CUFFT_FORWARD); });
  timed("cufft 2-D in place", [&] { execute(p, planes, g.c, g.c, CUFFT_FORWARD); });
  real_lines(p, g);
  for (const int fewer : {0, 1}) odd_rows(p, g, p.n / 2 - fewer);
  CHECK(cufftDestroy(contiguous));
  CHECK(cufftDestroy(planes));
}

void two_gpus(const Problem& p, std::vector<Gpu>& g) {
  for (int r = 0; r < 2; ++r) {
    CHECK(cudaSetDevice(r));
    lines::prepare(p.n, p.precision);
    fill(p, g[r].a, static_cast<std::uint64_t>(r) + 5);
  }
  const double sent = p.gigabytes() / 2;
  const auto timed = [&](const char* what, int blocks, auto body) {
    report(p, what,
           bench::time_all(
               2, 1, 5, [] {},
               [&] {
                 for (int r = 0; r < 2; ++r) {
                   CHECK(cudaSetDevice(r));
                   body(r);
                 }
               }),
           sent, blocks);
  };
  for (const int blocks : {16, 32, 64, 132}) {
    const auto push = [&](int r) {
      lines::Pass pass = push_lines(p, r, g[r].a, g[0].b, g[1].b);
      pass.blocks = blocks;
      lines::run(pass, g[r].link);
    };
    timed("push", blocks, push);
    timed("pull", blocks, [&](int r) {
      lines::Pass pass = pull_lines(p, r, g[0].b, g[1].b, g[r].a);
      pass.blocks = blocks;
      lines::run(pass, g[r].link);
    });
    if (blocks > 64) continue;
    timed("push beside local pass", blocks, [&](int r) {
      push(r);
      lines::Pass pass = slow_lines(p, g[r].c, g[r].c, Direction::forward);
      pass.blocks = 132 - blocks;
      lines::run(pass, g[r].local);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  int gpus = 0;
  CHECK(cudaGetDeviceCount(&gpus));
  gpus = std::min(gpus, 2);
  bench::enable_peers(gpus);
  for (int i = 1; i < argc; ++i)
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const Problem p{std::atoi(argv[i]), precision, gpus};
      std::vector<Gpu> g(static_cast<std::size_t>(gpus));
      for (int r = 0; r < gpus; ++r) {
        CHECK(cudaSetDevice(r));
        for (void** m : {&g[r].a, &g[r].b, &g[r].c}) CHECK(cudaMalloc(m, p.share() * p.element()));
        for (cudaStream_t* s : {&g[r].link, &g[r].local}) CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
        fill(p, g[r].b, 3);
        fill(p, g[r].c, 4);
      }
      one_gpu(p, g[0]);
      if (gpus == 2 && p.n >= 512) two_gpus(p, g);
      for (int r = 0; r < gpus; ++r) {
        CHECK(cudaSetDevice(r));
        for (void* m : {g[r].a, g[r].b, g[r].c}) CHECK(cudaFree(m));
        for (cudaStream_t s : {g[r].link, g[r].local}) CHECK(cudaStreamDestroy(s));
      }
    }
}
