// Lines in a core's own cache: lines [--seed S] [--count COUNT] [--lengths N,N,...] [--seconds SECONDS]. Of every
// length, of complex and real lines, in both precisions, contiguous and side by side: a JSON line with the GFLOP/s (5 n
// log2 n, half for real ones) of each set of instructions of the local FFT lanes, of FFTW and of oneMKL where the build
// has it. They take turns of a few runs for so many seconds each, and the fastest run counts, so that what else runs on
// the machine does little harm. `again` is what the same runs gave in the second half of the turns, over what they gave
// in the first: how far figures repeat. Lengths are drawn: 7-smooth, 16 to 2048.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/words.hpp"
#include "local/backend.hpp"
#include "local/lanes.hpp"
#include "local/loops.hpp"

using namespace shardfft;

namespace {

constexpr std::int64_t bytes_of_lines = 128 * 1024;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<std::int64_t> drawn_lengths(unsigned seed, std::size_t count) {
  std::vector<std::int64_t> smooth;
  for (std::int64_t n = 16; n <= 2048; ++n) {
    std::int64_t rest = n;
    for (const std::int64_t p : {2, 3, 5, 7})
      while (rest % p == 0) rest /= p;
    if (rest == 1) smooth.push_back(n);
  }
  std::mt19937 random(seed);
  std::shuffle(smooth.begin(), smooth.end(), random);
  smooth.resize(std::min(count, smooth.size()));
  std::sort(smooth.begin(), smooth.end());
  return smooth;
}

FftSpec spec_of(Kind kind, Precision precision, std::int64_t n, bool rows) {
  FftSpec spec;
  spec.kind = kind;
  spec.precision = precision;
  spec.direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
  const auto bytes = static_cast<std::int64_t>(ElementType{precision, true}.bytes());
  const std::int64_t count = std::max<std::int64_t>(16, (bytes_of_lines / (n * bytes) + 15) / 16 * 16);
  const std::int64_t in = kind == Kind::c2r ? n / 2 + 1 : n, out = kind == Kind::r2c ? n / 2 + 1 : n;
  spec.transform = {{n, rows ? 1 : count, rows ? 1 : count}};
  spec.batch = {{count, rows ? in : 1, rows ? out : 1}};
  return spec;
}

struct Rival {
  std::string name;
  std::unique_ptr<LocalFft> fft;
  double best[2] = {1e9, 1e9};  ///< seconds, in each half of the turns
};

std::vector<Rival> rivals_of(const FftSpec& spec) {
  std::vector<Rival> rivals;
  for (const lanes::Kernels& kernels : lanes::all_kernels())
    rivals.push_back({"lanes" + std::to_string(8 * kernels.vector_bytes), make_lanes(spec, kernels)});
  for (const std::string& name : local_fft_names())
    if (name == "fftw" || name == "mkl") rivals.push_back({name, make_local_fft(name, spec)});
  return rivals;
}

void measure(const FftSpec& spec, bool rows, double seconds_each) {
  std::vector<Rival> rivals = rivals_of(spec);
  const auto bytes = [](std::int64_t points, ElementType element) {
    return static_cast<std::size_t>(points) * element.bytes();
  };
  const AlignedMemory in = allocate_aligned(bytes(input_extent(input_loops(spec)), input_element(spec))),
                      out = allocate_aligned(bytes(output_extent(output_loops(spec)), output_element(spec)));
  std::size_t scratch_bytes = cache_line;
  for (const Rival& r : rivals) scratch_bytes = std::max(scratch_bytes, r.fft->scratch_bytes());
  const AlignedMemory scratch = allocate_aligned(scratch_bytes);
  std::fill_n(in.get(), bytes(input_extent(input_loops(spec)), input_element(spec)), std::byte{0});
  for (const int half : {0, 1}) {
    const double end = seconds() + seconds_each * static_cast<double>(rivals.size()) / 2;
    do
      for (Rival& r : rivals)
        for (int i = 0; i < 4; ++i) {
          const double begin = seconds();
          r.fft->execute(in.get(), out.get(), scratch.get());
          r.best[half] = std::min(r.best[half], seconds() - begin);
        }
    while (seconds() < end);
  }
  std::printf(R"({"driver":"lines","kind":"%s","precision":"%s","n":%lld,"lines":"%s")", to_text(spec.kind),
              spec.precision == Precision::f64 ? "double" : "single",
              static_cast<long long>(spec.transform.front().count), rows ? "rows" : "columns");
  double again = 1;
  for (const Rival& r : rivals) {
    std::printf(R"(,"%s":%.2f)", r.name.c_str(), work_of(spec).flops / std::min(r.best[0], r.best[1]) * 1e-9);
    const double ratio = r.best[0] / r.best[1];
    again = std::max({again, ratio, 1 / ratio});
  }
  std::printf(R"(,"again":%.3f})", again);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> lengths;
  unsigned seed = 1;
  std::size_t count = 24;
  double seconds_each = 0.05;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    std::stringstream values(argv[i + 1]);
    if (option == "--seed") values >> seed;
    if (option == "--count") values >> count;
    if (option == "--seconds") values >> seconds_each;
    if (option == "--lengths")
      for (std::string n; std::getline(values, n, ',');) lengths.push_back(std::stoll(n));
  }
  if (lengths.empty()) lengths = drawn_lengths(seed, count);
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const bool rows : {true, false})
        for (const std::int64_t n : lengths) measure(spec_of(kind, precision, n, rows), rows, seconds_each);
}
