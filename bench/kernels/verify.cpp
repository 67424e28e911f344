// What the option verify costs on the GPUs of one process:
//   gpu_verify [--gpus 1,2] [--input slab,pencil,brick] [--kind c2c,r2c] [--precision double,single] [--chunks 0]
//   n0xn1xn2 ...
// A JSON line a shape and each of the others: milliseconds of a forward and a backward transform without and with it,
// the medians of pairs in turn; how many sums were compared, how near the largest difference came to what is allowed,
// and what runs.
#include "common.hpp"
#include "shardfft/shardfft.hpp"

using namespace shardfft;

namespace {

struct Case {
  std::string shape_text, input;
  Shape shape;
  int gpus = 1;
  Kind kind = Kind::c2c;
  int chunks = 0;
};

Layout layout_of(const Case& c) {
  if (c.input == "slab") return Layout::slab(c.shape, c.gpus);
  if (c.input == "pencil") return Layout::pencil(c.shape, c.gpus);
  if (c.input == "brick") return Layout::brick(c.shape, c.gpus);
  throw Error(Status::invalid_argument, "no layout: " + c.input);
}

/// Those of all GPUs.
struct Arrays {
  std::vector<Buffer> fields, spectra;
};

/// A plan and the arrays that it shares with others.
class Side {
 public:
  Side(const Case& c, Precision precision, bool verify, Arrays& arrays)
      : plan_(devices(c.gpus), {c.kind, precision}, layout_of(c), default_output, options(c, verify)), arrays_(arrays) {
    for (int gpu = static_cast<int>(arrays.fields.size()); gpu < c.gpus; ++gpu) {
      arrays.fields.push_back(plan_.allocate_input(gpu));
      arrays.spectra.push_back(plan_.allocate_output(gpu));
    }
  }

  /// `numbers`: of every GPU, in host memory.
  void fill(const void* numbers) {
    plan_.forward(std::vector<const void*>(arrays_.fields.size(), numbers), places(arrays_.spectra));
    back();
  }
  double pair() {
    const auto begin = std::chrono::steady_clock::now();
    plan_.forward(inputs(arrays_.fields), places(arrays_.spectra));
    back();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
  PlanReport report() { return plan_.report(); }

 private:
  static Devices devices(int gpus) {
    std::vector<int> all;
    for (int gpu = 0; gpu < gpus; ++gpu) all.push_back(gpu);
    return Devices(all);
  }
  static Options options(const Case& c, bool verify) {
    Options all;
    all.norm = Norm::backward;
    all.verify = verify;
    all.chunks = c.chunks;
    return all;
  }
  static std::vector<void*> places(std::vector<Buffer>& buffers) {
    std::vector<void*> all;
    for (Buffer& buffer : buffers) all.push_back(buffer.data());
    return all;
  }
  static std::vector<const void*> inputs(std::vector<Buffer>& buffers) {
    const std::vector<void*> all = places(buffers);
    return {all.begin(), all.end()};
  }
  void back() { plan_.backward(inputs(arrays_.spectra), places(arrays_.fields)); }

  Plan plan_;
  Arrays& arrays_;
};

std::string steps_of(const PlanReport::Program& run) {
  std::string text;
  for (const PlanReport::Step& step : run.steps) text += (text.empty() ? "" : "; ") + step.text;
  return text;
}

template <class T>
void measure(const Case& c) {
  const bool is_complex = c.kind == Kind::c2c;
  constexpr Precision precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;
  std::int64_t most = 0;
  for (int gpu = 0; gpu < c.gpus; ++gpu) most = std::max(most, layout_of(c).count(gpu));
  std::vector<T> numbers(static_cast<std::size_t>(most) * (is_complex ? 2 : 1));
  std::uint32_t state = 1;
  for (T& x : numbers) x = static_cast<T>(state = state * 1664525U + 1013904223U) / T(1U << 31) - T(1);
  Arrays arrays;
  Side plain(c, precision, false, arrays), checked(c, precision, true, arrays);
  plain.fill(numbers.data());
  checked.fill(numbers.data());
  std::vector<double> ms, verified_ms;
  for (int round = 0; round < 16; ++round) {
    const double first = plain.pair(), second = checked.pair();
    if (round < 5) continue;  // graphs are made
    ms.push_back(first);
    verified_ms.push_back(second);
  }
  const PlanReport report = checked.report();
  std::printf(
      "{\"driver\":\"verify\",\"gpus\":%d,\"shape\":\"%s\",\"input\":\"%s\",\"kind\":\"%s\",\"precision\":\"%s\","
      "\"pair_ms\":%.4f,\"verified_pair_ms\":%.4f,\"factor\":%.4f,\"checks\":%lld,\"largest_residual\":%.3g,"
      "\"by\":\"%s\",\"verified_by\":\"%s\",\"verified_back_by\":\"%s\"}\n",
      c.gpus, c.shape_text.c_str(), c.input.c_str(), is_complex ? "c2c" : "r2c", sizeof(T) == 8 ? "double" : "single",
      bench::median(ms), bench::median(verified_ms), bench::median(verified_ms) / bench::median(ms),
      static_cast<long long>(report.forward.checks),
      std::max(report.forward.largest_residual, report.backward.largest_residual),
      steps_of(plain.report().forward).c_str(), steps_of(report.forward).c_str(), steps_of(report.backward).c_str());
  std::fflush(stdout);
}

Shape shape_of(const std::string& text) {
  long long n[3] = {};
  if (std::sscanf(text.c_str(), "%lldx%lldx%lld", &n[0], &n[1], &n[2]) != 3)
    throw Error(Status::invalid_argument, "no shape: " + text);
  return {n[0], n[1], n[2]};
}

Kind kind_of(const std::string& text) {
  if (text == "c2c") return Kind::c2c;
  if (text == "r2c") return Kind::r2c;
  throw Error(Status::invalid_argument, "no kind: " + text);
}

void measure(const Case& c, const std::string& precision) {
  if (precision == "double")
    measure<double>(c);
  else if (precision == "single")
    measure<float>(c);
  else
    throw Error(Status::invalid_argument, "no precision: " + precision);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bench::Lists lists = bench::read_lists(argc - 1, argv + 1,
                                           {{"", {}},
                                            {"--gpus", {"1"}},
                                            {"--input", {"slab"}},
                                            {"--kind", {"c2c", "r2c"}},
                                            {"--precision", {"double", "single"}},
                                            {"--chunks", {"0"}}});
    for (const std::string& shape : lists[""])
      for (const std::string& gpus : lists["--gpus"])
        for (const std::string& input : lists["--input"])
          for (const std::string& chunks : lists["--chunks"])
            for (const std::string& kind : lists["--kind"])
              for (const std::string& precision : lists["--precision"])
                measure({shape, input, shape_of(shape), std::stoi(gpus), kind_of(kind), std::stoi(chunks)}, precision);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
