// Fills the cache of line kernels, where there is a GPU or not: gpu_warm_lines n ...
// A JSON line a length and type: the recipe, and the seconds that it took. For compute capability 9.0.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "device/cuda/lines/jit.hpp"
#include "device/kernel_cache.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

constexpr int architecture = 90;

void warm(const lines::Recipe& recipe, Precision precision) {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t bytes = lines::machine_code(recipe, precision, false, architecture).size();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::string radices;
  for (int s = 0; s < recipe.line.stages; ++s) radices += (s == 0 ? "" : ",") + std::to_string(recipe.line.radix[s]);
  std::printf(
      "{\"driver\":\"warm_lines\",\"n\":%d,\"type\":\"%s\",\"radices\":[%s],\"threads\":%d,\"points_a_thread\":%d,"
      "\"width\":%d,\"resident\":%d,\"shared_bytes\":%d,\"code_bytes\":%zu,\"seconds\":%.3f}\n",
      recipe.line.n, precision == Precision::f64 ? "Z2Z" : "C2C", radices.c_str(), recipe.tile().threads(),
      recipe.line.points(), recipe.width, recipe.resident, recipe.shared_bytes(precision), bytes, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (!lines::can_compile() || lines::cache_directory().empty()) {
    std::fprintf(stderr, "there is no libnvrtc, or no folder to keep kernels in\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    const int n = std::atoi(argv[i]);
    if (lines::own_recipe(n) != nullptr) continue;  // compiled with the library
    const auto all = lines::recipes(n, lines::hopper);
    if (all.empty()) {
      std::fprintf(stderr, "lines of %d points have no kernel\n", n);
      return 1;
    }
    for (const Precision precision : {Precision::f64, Precision::f32}) warm(all.front(), precision);
  }
}
