// Passes over memory on one GPU, by their names in the catalogue, beside a copy:
//   gpu_passes lines [-gigabytes G] [-types Z2Z,C2C,D2Z,R2C] [-directions forward,backward] [-passes a,b] N ...
//   gpu_passes planes [the same] NxM ...
// lines: of N points along the slowest, the middle and the fastest axis, in place, and between rows of other lengths;
// real ones along the fastest axis, to padded half spectra. planes: N rows of M points, dense or woven. Arrays have G
// gigabytes. A JSON line a case and pass; the error is relative, in the l2 norm, of some of the transforms. prepare_ms:
// kernels compiled, or read from the cache (SHARDFFT_CACHE).
//   gpu_passes push N ...            line passes between two GPUs (push.cpp)
//   gpu_passes recipes NxM ...       recipes of plane passes (recipes.cpp)
#include "passes.hpp"

#include <complex>
#include <cstring>

#include "device/line_pass.hpp"
#include "gpu/pass/catalogue.hpp"

using namespace shardfft;

namespace {

using Complex = std::complex<double>;

/// One array of a transform.
struct Array {
  std::vector<Loop> transform, batch;  ///< `from` is its stride
  bool is_complex;
  Precision precision;

  std::size_t number_bytes() const { return (is_complex ? 2 : 1) * (precision == Precision::f64 ? 8 : 4); }
  std::int64_t span() const {
    std::int64_t last = 0;
    for (const auto* loops : {&transform, &batch})
      for (const Loop& loop : *loops) last += (loop.count - 1) * loop.from;
    return last + 1;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(span() + 64) * number_bytes(); }  // rows end in padding
  /// Calls visit(place) for the numbers of a transform of the batch, row by row.
  template <class Visit>
  void each(std::int64_t entry, const Visit& visit) const {
    std::int64_t begin = 0, numbers = 1;
    for (std::size_t b = batch.size(); b-- > 0; entry /= batch[b].count)
      begin += entry % batch[b].count * batch[b].from;
    for (const Loop& loop : transform) numbers *= loop.count;
    for (std::int64_t i = 0; i < numbers; ++i) {
      std::int64_t place = begin, rest = i;
      for (std::size_t t = transform.size(); t-- > 0; rest /= transform[t].count)
        place += rest % transform[t].count * transform[t].from;
      visit(static_cast<std::size_t>(place));
    }
  }
};

Array array_of(const FftSpec& spec, bool input) {
  Array made{spec.transform, spec.batch, spec.kind == Kind::c2c || (spec.kind == Kind::c2r) == input, spec.precision};
  for (auto* loops : {&made.transform, &made.batch})
    for (Loop& loop : *loops) loop.from = input ? loop.from : loop.to;
  if (spec.kind != Kind::c2c && made.is_complex) made.transform.back().count = made.transform.back().count / 2 + 1;
  return made;
}

double part(const Array& array, const std::byte* data, std::size_t at) {
  double wide = 0;
  float narrow = 0;
  if (array.precision == Precision::f64) return std::memcpy(&wide, data + 8 * at, 8), wide;
  return std::memcpy(&narrow, data + 4 * at, 4), static_cast<double>(narrow);
}
/// The numbers of a transform, in doubles.
std::vector<double> gathered(const Array& array, const std::byte* data, std::int64_t entry) {
  std::vector<double> all;
  array.each(entry, [&](std::size_t place) {
    const std::size_t parts = array.is_complex ? 2 : 1;
    for (std::size_t p = 0; p < parts; ++p) all.push_back(part(array, data, parts * place + p));
  });
  return all;
}

/// Of some transforms of the batch, from what a library for CPUs makes of them in double precision.
double error_of(const FftSpec& spec, const std::byte* in, const std::byte* out) {
  const Array from = array_of(spec, true), to = array_of(spec, false);
  FftSpec one;
  one.kind = spec.kind;
  one.direction = spec.direction;
  one.transform = spec.transform;
  std::int64_t in_row = 1, out_row = 1, entries = 1;
  for (std::size_t t = one.transform.size(); t-- > 0;) {
    one.transform[t].from = std::exchange(in_row, in_row * from.transform[t].count);
    one.transform[t].to = std::exchange(out_row, out_row * to.transform[t].count);
  }
  for (const Loop& loop : spec.batch) entries *= loop.count;
  const auto library = make_local_fft("auto", one);
  double error = 0, norm = 0;
  for (const std::int64_t entry : {std::int64_t{0}, entries / 3, entries / 2, entries - 1}) {
    const std::vector<double> x = gathered(from, in, entry), got = gathered(to, out, entry);
    std::vector<double> wanted(got.size());
    library->execute(x.data(), wanted.data());
    for (std::size_t i = 0; i < got.size(); ++i) {
      error += (got[i] - wanted[i]) * (got[i] - wanted[i]);
      norm += wanted[i] * wanted[i];
    }
  }
  return std::sqrt(error / norm);
}

struct Case {
  std::string name;
  FftSpec spec;
};

std::vector<Case> line_cases(const bench::Type& type, std::int64_t n, std::int64_t planes, bool forward) {
  const std::int64_t columns = planes * n, dense = n / 2 + 1;
  const std::int64_t padded = device::lines::whole_bundles(dense, type.precision);
  const auto made = [](std::string name, std::vector<Loop> transform, std::vector<Loop> batch) {
    return Case{std::move(name), {.transform = std::move(transform), .batch = std::move(batch)}};
  };
  if (type.real)
    return {made("fastest axis, padded", {{n, 1, 1}}, {{columns, forward ? n : padded, forward ? padded : n}})};
  std::vector<Case> all{made("slowest axis", {{n, columns, columns}}, {{columns, 1, 1}}),
                        made("slowest axis in place", {{n, columns, columns}}, {{columns, 1, 1}}),
                        made("middle axis", {{n, n, n}}, {{planes, n * n, n * n}, {n, 1, 1}}),
                        made("fastest axis", {{n, 1, 1}}, {{columns, n, n}})};
  all[1].spec.in_place = true;
  const std::int64_t rows = std::max<std::int64_t>(1, columns / padded);
  for (const auto& [name, from, to] : {std::tuple{"padded rows", padded, padded},
                                       {"padded to dense rows", padded, dense},
                                       {"dense to padded rows", dense, padded}})
    all.push_back(made(name, {{n, rows * from, rows * to}}, {{rows, from, to}, {dense, 1, 1}}));
  return all;
}

std::vector<Case> plane_cases(const bench::Type& type, bench::Size size, std::int64_t planes, bool forward) {
  const auto [n, m] = size;
  if (type.real) {
    const std::int64_t pitch = device::lines::whole_bundles(m / 2 + 1, type.precision);
    const std::int64_t from = forward ? m : pitch, to = forward ? pitch : m;
    return {{"padded", {.transform = {{n, from, to}, {m, 1, 1}}, .batch = {{planes, n * from, n * to}}}}};
  }
  return {{"dense", {.transform = {{n, m, m}, {m, 1, 1}}, .batch = {{planes, n * m, n * m}}}},
          {"woven", {.transform = {{n, planes * m, planes * m}, {m, 1, 1}}, .batch = {{planes, m, m}}}}};
}

void measure(const Case& c, const bench::Type& type, const std::string& size, const std::vector<std::string>& names) {
  const FftSpec& spec = c.spec;
  const std::size_t in_bytes = array_of(spec, true).bytes(), out_bytes = array_of(spec, false).bytes();
  std::vector<std::byte> host(in_bytes), result(out_bytes);
  std::uint32_t state = 1;
  const auto next = [&state] { return static_cast<double>(state = state * 1664525U + 1013904223U) / (1U << 31) - 1; };
  if (spec.precision == Precision::f64)
    for (std::size_t i = 0; i < in_bytes / 8; ++i) reinterpret_cast<double*>(host.data())[i] = next();
  else
    for (std::size_t i = 0; i < in_bytes / 4; ++i)
      reinterpret_cast<float*>(host.data())[i] = static_cast<float>(next());
  const device::Memory a = device::make_memory(in_bytes), b = device::make_memory(std::max(in_bytes, out_bytes));
  const auto* const from = static_cast<const std::byte*>(a.get());
  auto* const to = static_cast<std::byte*>(b.get());
  const double copy = bench::time_of([&] { device::copy_bytes(to, from, in_bytes, nullptr); });
  const gpu::PassUse use{.lines = gpu::LinesFor::trial, .padded = true, .small = true};
  for (const std::string& name : names) {
    const gpu::PassRecord& record = gpu::pass_named(name);
    if ((spec.in_place && !record.in_one_array) || !record.fits(spec, use)) continue;
    const double begin = bench::milliseconds();
    const gpu::PassPointer pass = record.make(spec, use);
    pass->prepare(false);
    const double prepare = bench::milliseconds() - begin;
    const device::Memory scratch = device::make_memory(std::max<std::size_t>(1, pass->scratch_bytes()));
    const auto run = [&] {
      pass->enqueue({spec.in_place ? to : from, to, static_cast<std::byte*>(scratch.get())}, nullptr);
    };
    device::copy_bytes(a.get(), host.data(), in_bytes, nullptr);  // which passes may write
    device::copy_bytes(to, from, std::min(in_bytes, out_bytes), nullptr);
    run();
    device::synchronize(nullptr);
    device::copy_bytes(result.data(), to, out_bytes, nullptr);
    device::synchronize(nullptr);
    const double error = error_of(spec, host.data(), result.data()), ms = bench::time_of(run);
    bench::line(
        "\"driver\":\"passes\",\"size\":\"%s\",\"type\":\"%s\",\"direction\":\"%s\",\"case\":\"%s\",\"pass\":\"%s\","
        "\"ms\":%.4f,\"gb_s\":%.0f,\"copy_ms\":%.4f,\"prepare_ms\":%.1f,\"error\":%.2e",
        size.c_str(), type.name, spec.direction == Direction::forward ? "forward" : "backward", c.name.c_str(),
        name.c_str(), ms, 1e-6 * static_cast<double>(in_bytes + out_bytes) / ms, copy, prepare, error);
  }
}

void measure_all(const bench::Lists& lists, bool planes) {
  for (const std::string& text : lists.at("")) {
    const bench::Size size = bench::size_of(text);
    require((size.m > 0) == planes, planes ? "planes are NxM, not " : "lines are N, not ", text);
    for (const bench::Type& type : bench::types)
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const bool forward = direction == Direction::forward;
        if (!bench::has(lists.at("-types"), type.name) ||
            !bench::has(lists.at("-directions"), forward ? "forward" : "backward"))
          continue;
        const std::int64_t numbers = size.n * (planes ? size.m : size.n);
        const std::int64_t count = bench::count_for(lists, numbers * static_cast<std::int64_t>(type.complex_bytes()));
        for (Case& c : planes ? plane_cases(type, size, count, forward) : line_cases(type, size.n, count, forward)) {
          c.spec.kind = !type.real ? Kind::c2c : forward ? Kind::r2c : Kind::c2r;
          c.spec.precision = type.precision;
          c.spec.direction = direction;
          c.spec.preserve_input = false;
          measure(c, type, text, lists.at("-passes"));
        }
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string command = argc > 1 ? argv[1] : "";
    const bench::Lists lists = bench::read_lists(
        std::max(argc - 2, 0), argv + std::min(argc, 2),
        {{"", {}},
         {"-gigabytes", {"2"}},
         {"-types", {"Z2Z", "C2C", "D2Z", "R2C"}},
         {"-directions", {"forward", "backward"}},
         {"-candidates", {"1"}},
         {"-passes", {"plane pass", "line pass", "blocked rows", "row pass", "transposed cufft", "cufft"}}});
    if (command == "lines" || command == "planes")
      measure_all(lists, command == "planes");
    else if (command == "push")
      bench::push_lines(lists);
    else if (command == "recipes")
      bench::plane_recipes(lists);
    else
      fail(Status::invalid_argument, "no subcommand '", command, "': lines, planes, push, recipes");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpu_passes: %s\n", e.what());
    return 1;
  }
}
