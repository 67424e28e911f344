// Line passes as the exchange of a slab transform, on two GPUs: each stores half of its lines' points to, or loads them
// from, the other one, with few and many thread blocks, alone and beside a local pass. A cube of N points a side, half
// on each GPU.
#include "device/line_pass.hpp"
#include "passes.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

struct Gpu {
  device::Memory a, b, c;
  device::Stream link, local;
};

struct Problem {
  std::int64_t n;
  bench::Type type;
  std::size_t share_bytes() const { return static_cast<std::size_t>(n * n * n / 2) * type.complex_bytes(); }
};

/// Lines along the slowest axis of [n][n/2][n].
lines::Pass slow_lines(const Problem& p, void* in, void* out) {
  lines::Pass pass;
  pass.n = narrow(p.n, "the length of lines");
  pass.precision = p.type.precision;
  pass.in.part[0] = {in, p.n * p.n / 2, p.n};
  pass.out.part[0] = {out, p.n * p.n / 2, p.n};
  pass.outer_end = p.n / 2;
  pass.m_end = p.n;
  return pass;
}

/// Lines along the middle axis of [n/2][n][n], sent to [n][n/2][n] of two owners; or, to pull, the mirror image. GPU
/// `rank` owns planes from rank * n/2.
lines::Pass shared_lines(const Problem& p, int rank, std::vector<Gpu>& g, bool push) {
  lines::Pass pass = slow_lines(p, g[static_cast<std::size_t>(rank)].a.get(), nullptr);
  pass.in.part[0] = {pass.in.part[0].base, p.n, p.n * p.n};
  const auto first = static_cast<std::size_t>(rank * (p.n / 2) * (p.n / 2) * p.n) * p.type.complex_bytes();
  for (const std::size_t owner : {0, 1})
    pass.out.part[owner] = {static_cast<std::byte*>(g[owner].b.get()) + first, p.n, p.n * p.n / 2};
  pass.out.block = pass.n / 2;
  if (push) return pass;
  std::swap(pass.in, pass.out);
  pass.direction = Direction::backward;
  return pass;
}

void measure(const Problem& p, std::vector<Gpu>& g) {
  const auto timed = [&](const char* what, int blocks, const auto& body) {
    std::vector<double> times;
    for (int run = 0; run < 6; ++run) {
      const double begin = bench::milliseconds();
      for (const int r : {0, 1}) {
        device::set_device(r);
        body(r, g[static_cast<std::size_t>(r)]);
      }
      for (const Gpu& gpu : g)
        for (const device::Stream* stream : {&gpu.link, &gpu.local}) device::synchronize(stream->get());
      if (run > 0) times.push_back(bench::milliseconds() - begin);
    }
    const double ms = bench::median(times), sent = static_cast<double>(p.share_bytes()) / 2;
    bench::line(
        "\"driver\":\"push\",\"n\":%lld,\"type\":\"%s\",\"what\":\"%s\",\"blocks\":%d,\"ms\":%.3f,\"gb_s\":%.0f",
        static_cast<long long>(p.n), p.type.name, what, blocks, ms, 1e-6 * sent / ms);
  };
  const auto shared = [&](int r, Gpu& own, int blocks, bool push) {
    lines::Pass pass = shared_lines(p, r, g, push);
    pass.blocks = blocks;
    lines::run(pass, own.link.get());
  };
  for (const int blocks : {16, 32, 64, 132}) {
    timed("push", blocks, [&](int r, Gpu& own) { shared(r, own, blocks, true); });
    timed("pull", blocks, [&](int r, Gpu& own) { shared(r, own, blocks, false); });
    if (blocks > 64) continue;
    timed("push beside local pass", blocks, [&](int r, Gpu& own) {
      shared(r, own, blocks, true);
      lines::Pass pass = slow_lines(p, own.c.get(), own.c.get());
      pass.blocks = 132 - blocks;
      lines::run(pass, own.local.get());
    });
  }
}

}  // namespace

void bench::push_lines(const Lists& lists) {
  require(device::device_count() > 1, "lines are pushed between two GPUs");
  for (const int r : {0, 1}) {
    device::set_device(r);
    device::enable_peer(r, 1 - r);
  }
  for (const std::string& text : lists.at(""))
    for (const Type& type : types) {
      if (type.real || !has(lists.at("-types"), type.name)) continue;
      const Problem p{size_of(text).n, type};
      require(p.n % 2 == 0, "cubes of even sizes are cut in halves, not ", text);
      std::vector<Gpu> g(2);
      for (const int r : {0, 1}) {
        device::set_device(r);
        lines::prepare(narrow(p.n, "the length of lines"), type.precision);
        Gpu& own = g[static_cast<std::size_t>(r)];
        for (device::Memory* memory : {&own.a, &own.b, &own.c}) {
          *memory = device::make_memory(p.share_bytes());
          device::fill_zero(memory->get(), p.share_bytes(), nullptr);
        }
        for (device::Stream* stream : {&own.link, &own.local}) *stream = device::make_stream();
        device::synchronize(nullptr);
      }
      measure(p, g);
    }
}
