// Line passes of any length, double and single complex, beside a copy, cuFFT and lines made contiguous for cuFFT:
// gpu_lengths [-gigabytes G] n ... Whole planes of n x n, G gigabytes an array; a JSON line a length and type.
//
// `slow`: lines along the slowest axis, `middle`: along the middle one; cuFFT strided and transposed: the slowest.
// Errors are relative L2 of some lines against sums in long double. prepare_ms: the first preparation of that length in
// this process, kernels compiled or read from the cache (SHARDFFT_CACHE).
#include <chrono>
#include <complex>

#include "common.cuh"
#include "device/handles.hpp"
#include "device/line_pass.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/pass/catalogue.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

struct Problem {
  int n;
  Precision precision;
  std::int64_t planes;
  std::size_t element() const { return precision == Precision::f64 ? 16 : 8; }
  std::int64_t columns() const { return planes * n; }
  std::size_t points() const { return static_cast<std::size_t>(columns()) * n; }
  std::size_t bytes() const { return points() * element(); }
  const char* type() const { return precision == Precision::f64 ? "Z2Z" : "C2C"; }
};

template <class Body>
double milliseconds(Body body) {
  return bench::time_all(
      1, 2, 7, [] {}, body);
}

/// Sums of the definition for a few columns of the slowest axis, in long double.
template <class T>
double error_of(const Problem& p, const void* in, const void* out) {
  using Number = std::complex<T>;
  using Wide = std::complex<long double>;
  constexpr int count = 6;
  const auto row = static_cast<std::size_t>(p.columns());
  std::vector<Wide> roots(static_cast<std::size_t>(p.n));
  for (int k = 0; k < p.n; ++k)
    roots[static_cast<std::size_t>(k)] = std::polar(1.0L, -2 * 3.14159265358979323846264338327950288L * k / p.n);
  long double error = 0, norm = 0;
  for (int c = 0; c < count; ++c) {
    const std::size_t column = row / count * static_cast<std::size_t>(c) + static_cast<std::size_t>(c);
    std::vector<Number> x(static_cast<std::size_t>(p.n)), y(x);
    CHECK(cudaMemcpy2D(x.data(), sizeof(Number), static_cast<const Number*>(in) + column, row * sizeof(Number),
                       sizeof(Number), x.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy2D(y.data(), sizeof(Number), static_cast<const Number*>(out) + column, row * sizeof(Number),
                       sizeof(Number), y.size(), cudaMemcpyDeviceToHost));
    for (std::size_t k = 0; k < y.size(); ++k) {
      Wide sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j) sum += Wide(x[j]) * roots[j * k % x.size()];
      error += std::norm(Wide(y[k]) - sum);
      norm += std::norm(sum);
    }
  }
  return static_cast<double>(std::sqrt(error / norm));
}
double error(const Problem& p, const void* in, const void* out) {
  return p.precision == Precision::f64 ? error_of<double>(p, in, out) : error_of<float>(p, in, out);
}

FftSpec strided(const Problem& p) {
  FftSpec spec;
  spec.precision = p.precision;
  spec.transform = {{p.n, p.columns(), p.columns()}};
  spec.batch = {{p.columns(), 1, 1}};
  return spec;
}

lines::Pass pass_of(const Problem& p, void* in, void* out, bool middle) {
  lines::Pass pass;
  pass.n = p.n;
  pass.precision = p.precision;
  const std::int64_t line = middle ? p.n : p.columns(), outer = middle ? std::int64_t{p.n} * p.n : p.columns();
  pass.in.part[0] = {in, line, outer};
  pass.out.part[0] = {out, line, outer};
  pass.outer_end = middle ? p.planes : 1;
  pass.m_end = middle ? p.n : p.columns();
  return pass;
}

void measure(const Problem& p) {
  const device::Memory a = device::make_memory(p.bytes()), b = device::make_memory(p.bytes());
  if (p.precision == Precision::f64)
    bench::fill<double>(a.get(), 2 * p.points(), 0, 1);
  else
    bench::fill<float>(a.get(), 2 * p.points(), 0, 1);
  const auto from = static_cast<const std::byte*>(a.get());
  const auto to = static_cast<std::byte*>(b.get());
  const double copy =
      milliseconds([&] { CHECK(cudaMemcpyAsync(b.get(), a.get(), p.bytes(), cudaMemcpyDeviceToDevice)); });

  double cufft = 0, cufft_error = 0, contiguous = 0;
  {
    const gpu::PassPointer pass = gpu::pass_named("cufft").make(strided(p), {});
    CHECK(cudaMemset(b.get(), 0xff, p.bytes()));
    pass->enqueue({from, to}, nullptr);
    cufft_error = error(p, a.get(), b.get());
    cufft = milliseconds([&] { pass->enqueue({from, to}, nullptr); });
  }
  {
    device::VendorFftSpec spec;
    spec.precision = p.precision;
    spec.extents = {p.n};
    spec.batch = p.columns();
    spec.in = spec.out = {{p.n}, 1, p.n};
    const device::VendorFft plan(spec);
    contiguous = milliseconds([&] { plan.execute(a.get(), b.get(), Direction::forward, nullptr); });
  }
  const gpu::PassPointer turned = gpu::pass_named("transposed cufft").make(strided(p), {});
  const device::Memory scratch = device::make_memory(turned->scratch_bytes());
  const double transposed = milliseconds([&] {
    turned->enqueue({from, to, static_cast<std::byte*>(scratch.get())}, nullptr);
  });

  double prepare_ms = -1, slow = -1, middle = -1, lines_error = -1;
  if (lines::supported(p.n) && p.columns() % lines::unit(p.precision) == 0) {
    CHECK(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    lines::prepare(p.n, p.precision);
    prepare_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    CHECK(cudaMemset(b.get(), 0xff, p.bytes()));
    lines::run(pass_of(p, a.get(), b.get(), false), nullptr);
    lines_error = error(p, a.get(), b.get());
    slow = milliseconds([&] { lines::run(pass_of(p, a.get(), b.get(), false), nullptr); });
    if (p.n % lines::unit(p.precision) == 0)
      middle = milliseconds([&] { lines::run(pass_of(p, a.get(), b.get(), true), nullptr); });
  }
  bench::line(
      "\"driver\":\"lengths\",\"n\":%d,\"type\":\"%s\",\"planes\":%lld,\"copy_ms\":%.4f,\"slow_ms\":%.4f,"
      "\"middle_ms\":%.4f,\"cufft_strided_ms\":%.4f,\"cufft_contiguous_ms\":%.4f,\"transposed_ms\":%.4f,"
      "\"prepare_ms\":%.1f,\"error\":%.3e,\"cufft_error\":%.3e",
      p.n, p.type(), static_cast<long long>(p.planes), copy, slow, middle, cufft, contiguous, transposed, prepare_ms,
      lines_error, cufft_error);
}

}  // namespace

int main(int argc, char** argv) {
  double gigabytes = 2;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "-gigabytes" && i + 1 < argc) {
      gigabytes = std::atof(argv[++i]);
      continue;
    }
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      Problem p{std::atoi(argv[i]), precision, 1};
      const double planes = gigabytes * 1e9 / static_cast<double>(p.element()) / p.n / p.n;
      p.planes = std::max<std::int64_t>(1, static_cast<std::int64_t>(planes / 2)) * 2;
      measure(p);
    }
  }
}
