// Programs for the compiler, and their keys in the cache.
#include "device/cuda/lines/jit.hpp"

#include <sstream>

#include "base/environment.hpp"
#include "device/cuda/lines/kernel_sources.hpp"
#include "device/cuda/lines/nvrtc.hpp"
#include "device/kernel_cache.hpp"

namespace shardfft::device::lines {
namespace {

/// Of the kernels' headers: another version of the library does not find the kernels of this one.
std::string source_key() {
  std::string all;
  for (const KernelSource& file : kernel_sources()) all += std::string(file.name) + '\n' + file.text;
  return hash_of(all);
}

std::string key_of(const Recipe& recipe, Precision precision, bool odd, int architecture) {
  std::ostringstream key;
  const LineCut& line = recipe.line;
  key << "lines of " << line.n << ' ' << (precision == Precision::f64 ? "f64" : "f32") << (odd ? " odd" : "")
      << " team " << line.team << " radices";
  for (int s = 0; s < line.stages; ++s) key << ' ' << line.radix[s];
  key << " width " << recipe.width << " resident " << recipe.resident << (recipe.bulk ? "" : " plain") << " sm_"
      << architecture << " nvrtc " << nvrtc_version() << " source " << source_key();
  return key.str();
}

}  // namespace

bool can_compile() {
  static const bool allowed = switch_in_environment("SHARDFFT_JIT", "compile kernels at run time").value_or(true);
  return allowed && !nvrtc_version().empty();
}

std::string kernel_source(const Recipe& recipe, Precision precision, bool odd) {
  std::ostringstream text;
  text << "#include \"device/cuda/lines/" << (recipe.bulk ? "pass" : "plain") << "_kernel.cuh\"\n"
       << "using namespace shardfft::device::lines;\n"
       << "using Lines = CutOf<" << recipe.line.n << ", " << recipe.line.team;
  for (int s = 0; s < recipe.line.stages; ++s) text << ", " << recipe.line.radix[s];
  text << ">;\n";
  for (const bool backward : {false, true})
    text << "extern \"C\" __global__ void __launch_bounds__(" << recipe.tile().threads() << ", " << recipe.resident
         << ")\n    " << (backward ? "backward" : "forward") << "(const __grid_constant__ "
         << (recipe.bulk ? "Kernel" : "Plain") << "Pass pass) {\n"
         << "  run_" << (recipe.bulk ? "" : "plain_") << "pass<Lines, "
         << (precision == Precision::f64 ? "double" : "Twin") << ", " << recipe.width << ", "
         << (backward ? "true" : "false") << ", " << (odd ? "true" : "false") << ">(pass);\n}\n";
  return text.str();
}

std::string machine_code(const Recipe& recipe, Precision precision, bool odd, int architecture) {
  return cached(cache_directory(), key_of(recipe, precision, odd, architecture),
                [&] { return compile(kernel_source(recipe, precision, odd), architecture); });
}

}  // namespace shardfft::device::lines
