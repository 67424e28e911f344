// Programs for the compiler, and their keys in the cache.
#include "device/cuda/lines/jit.hpp"

#include <sstream>

#include "base/environment.hpp"
#include "device/cuda/lines/kernel_sources.hpp"
#include "device/cuda/lines/nvrtc.hpp"
#include "device/kernel_cache.hpp"

namespace shardfft::device::lines {
namespace {

/// A hash of the kernels' headers, so that another version of the library does not take the kernels of this one.
std::string source_key() {
  std::string all;
  for (const KernelSource& file : kernel_sources()) all += std::string(file.name) + '\n' + file.text;
  return hash_of(all);
}

const char* name_of(Precision precision) { return precision == Precision::f64 ? "f64" : "f32"; }
const char* number_of(Precision precision) { return precision == Precision::f64 ? "double" : "Twin"; }

const char* checks_of(bool checks, bool holds_weights) {
  return !checks ? "Checks::none" : holds_weights ? "Checks::weights_held" : "Checks::some";
}

/// What both kinds of kernels depend on.
std::string key_of(const std::string& kernel, int architecture) {
  return kernel + " with stack sm_" + std::to_string(architecture) + " nvrtc " + nvrtc_version() + " source " +
         source_key();
}

std::string text_of(const LineCut& line) {
  std::ostringstream text;
  text << line.n << " team " << line.team << " radices";
  for (int s = 0; s < line.stages; ++s) text << ' ' << line.radix[s];
  return text.str();
}

std::string key_of(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture) {
  std::ostringstream key;
  key << "lines " << name_of(precision) << (skills.odd ? " odd " : " ")
      << checks_of(skills.checks, recipe.holds_weights) << ' ' << text_of(recipe.line) << " width " << recipe.width
      << " resident " << recipe.resident << (recipe.bulk ? "" : " plain");
  return key_of(key.str(), architecture);
}

std::string key_of(const PlaneCut& cut, Precision precision, PlaneSkills skills, int architecture) {
  std::ostringstream key;
  key << "planes " << name_of(precision) << (skills.real ? " real " : " ")
      << checks_of(skills.checks, cut.holds_weights) << " rows " << text_of(cut.rows) << " columns "
      << text_of(cut.columns) << " lines " << cut.lines << " width " << cut.width << " groups " << cut.groups;
  return key_of(key.str(), architecture);
}

/// A line as a type.
std::string type_of(const LineCut& line) {
  std::ostringstream text;
  text << "CutOf<" << line.n << ", " << line.team;
  for (int s = 0; s < line.stages; ++s) text << ", " << line.radix[s];
  text << '>';
  return text.str();
}

/// In the cache the number comes first, in a line of its own.
template <class Make>
MachineCode cached_code(const std::string& key, Make make) {
  const std::string kept = cached(cache_directory(), key, [&] {
    const MachineCode made = make();
    return std::to_string(made.stack_bytes) + '\n' + made.cubin;
  });
  const std::size_t line = kept.find('\n');
  return {kept.substr(line + 1), std::stoi(kept.substr(0, line))};
}

}  // namespace

bool can_compile() {
  static const bool allowed = switch_in_environment("SHARDFFT_JIT", "compile kernels at run time").value_or(true);
  return allowed && !nvrtc_version().empty();
}

std::string kernel_source(const Recipe& recipe, Precision precision, KernelSkills skills) {
  const std::string number = number_of(precision);
  std::ostringstream text;
  text << "#include \"device/cuda/lines/" << (recipe.bulk ? "pass" : "plain") << "_kernel.cuh\"\n"
       << "using namespace shardfft::device::lines;\n"
       << "using Lines = " << type_of(recipe.line) << ";\n";
  for (const bool backward : {false, true})
    text << "extern \"C\" __global__ void __launch_bounds__(" << recipe.tile().threads() << ", " << recipe.resident
         << ")\n    " << (backward ? "backward" : "forward") << "(const __grid_constant__ "
         << (recipe.bulk ? "Kernel" : "Plain") << "Pass pass) {\n"
         << "  run_" << (recipe.bulk ? "" : "plain_") << "pass<Lines, " << number << ", " << recipe.width << ", "
         << (backward ? "true" : "false") << ", " << (skills.odd ? "true" : "false") << ", "
         << checks_of(skills.checks, recipe.holds_weights) << ">(pass);\n}\n";
  return text.str();
}

MachineCode machine_code(const Recipe& recipe, Precision precision, KernelSkills skills, int architecture) {
  return cached_code(key_of(recipe, precision, skills, architecture),
                     [&] { return compile(kernel_source(recipe, precision, skills), architecture); });
}

std::string kernel_source(const PlaneCut& cut, Precision precision, PlaneSkills skills) {
  std::ostringstream text;
  text << "#include \"device/cuda/lines/plane_kernel.cuh\"\n"
       << "using namespace shardfft::device::lines;\n"
       << "using Planes = PlaneOf<" << type_of(cut.rows) << ", " << type_of(cut.columns) << ", " << cut.lines << ", "
       << cut.width << ", " << cut.groups << ">;\n";
  for (const bool backward : {false, true})
    text << "extern \"C\" __global__ void __launch_bounds__(" << cut.threads() << ", 1)\n    "
         << (backward ? "backward" : "forward") << "(const __grid_constant__ KernelPlanes pass) {\n"
         << "  run_planes<Planes, " << number_of(precision) << ", " << (backward ? "true" : "false") << ", "
         << (skills.real ? "true" : "false") << ", " << checks_of(skills.checks, cut.holds_weights) << ">(pass);\n}\n";
  return text.str();
}

MachineCode machine_code(const PlaneCut& cut, Precision precision, PlaneSkills skills, int architecture) {
  return cached_code(key_of(cut, precision, skills, architecture),
                     [&] { return compile(kernel_source(cut, precision, skills), architecture); });
}

}  // namespace shardfft::device::lines
