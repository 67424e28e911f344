// Compiles line and plane kernels one by one, where there is a GPU or not: gpu_warm_lines [--checked] N ... NxM ...
// Lines of N points, with an operator's factors and without; planes of N rows of M points, complex and real. A JSON
// line a kernel: the recipe, the bytes of its stack, and the seconds that it took. --checked: those of the option
// verify instead. For compute capability 9.0.
#include <chrono>
#include <cstdio>
#include <string>

#include "base/check.hpp"
#include "base/own_folder.hpp"
#include "device/cuda/lines/jit.hpp"
#include "device/kernel_cache.hpp"

using namespace shardfft;
namespace lines = shardfft::device::lines;

namespace {

constexpr int architecture = 90;

/// Prints what was made, `recipe` first.
template <class Make>
void timed(const std::string& recipe, Make make) {
  const auto begin = std::chrono::steady_clock::now();
  const lines::KernelCode code = make();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("{\"driver\":\"warm_lines\",%s,\"code_bytes\":%zu,\"stack_bytes\":%d,\"seconds\":%.3f}\n", recipe.c_str(),
              code.way[0].cubin.size() + code.way[1].cubin.size(), code.stack_bytes(), seconds);
  std::fflush(stdout);
}

std::string field(const char* name, const std::string& value) { return std::string("\"") + name + "\":" + value; }
std::string field(const char* name, int value) { return field(name, std::to_string(value)); }
std::string radices(const lines::LineCut& line) {
  std::string text;
  for (int s = 0; s < line.stages; ++s) text += (s == 0 ? "[" : ",") + std::to_string(line.radix[s]);
  return text + "]";
}
const char* type(Precision precision, bool real) {
  if (precision == Precision::f64) return real ? "\"D2Z\"" : "\"Z2Z\"";
  return real ? "\"R2C\"" : "\"C2C\"";
}

void warm(const lines::Recipe& recipe, Precision precision, lines::KernelSkills skills) {
  timed(field("n", recipe.line.n) + "," + field("type", type(precision, false)) + "," +
            field("odd", std::string(skills.odd ? "true" : "false")) + "," +
            field("multiplies", std::string(skills.multiplies ? "true" : "false")) + "," +
            field("radices", radices(recipe.line)) + "," + field("threads", recipe.tile().threads()) + "," +
            field("points_a_thread", recipe.line.points()) + "," + field("width", recipe.width) + "," +
            field("resident", recipe.resident) + "," +
            field("shared_bytes", recipe.shared_bytes(precision, skills.odd)),
        [&] { return lines::machine_code(recipe, precision, skills, architecture); });
}

void warm(const lines::PlaneCut& cut, Precision precision, lines::PlaneSkills skills) {
  timed(field("n", cut.columns.n) + "," + field("m", cut.rows.n) + "," + field("type", type(precision, skills.real)) +
            "," + field("radices", radices(cut.columns)) + "," + field("team", cut.columns.team) + "," +
            field("row_radices", radices(cut.rows)) + "," + field("row_team", cut.rows.team) + "," +
            field("lines", cut.lines) + "," + field("width", cut.width) + "," + field("groups", cut.groups) + "," +
            field("threads", cut.threads()) + "," + field("points_a_thread", cut.points()) + "," +
            field("resident", 1) + "," + field("shared_bytes", lines::shared_bytes(cut, precision)),
        [&] { return lines::machine_code(cut, precision, skills, architecture); });
}

void warm_lines(int n, bool checked) {
  const lines::Recipe* own = lines::own_recipe(n);
  for (const bool odd : {false, true}) {
    const auto recipe = lines::recipe_for(n, lines::hopper, true, odd);
    require(odd || recipe, "lines of such a length have no kernel");
    const bool in_library = own != nullptr && recipe && lines::same(*own, *recipe) && !checked;
    for (const Precision precision : {Precision::f64, Precision::f32})
      for (const bool multiplies : {false, true})
        if (recipe && (!in_library || multiplies) && !(odd && precision == Precision::f64) && !(checked && multiplies))
          warm(*recipe, precision, {odd, checked, multiplies});
  }
}

void warm_planes(int n, int m, bool checked) {
  if (lines::own_plane_cut(n, m) != nullptr && !checked) return;
  const std::vector<lines::PlaneCut> all = lines::plane_cuts_for(n, m, lines::hopper, true);
  require(!all.empty(), "planes of such lengths have no kernel");
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const bool real : {false, true}) {
      const lines::PlaneSkills skills{real, checked};
      warm(lines::choose_cut(all, precision, skills, architecture), precision, skills);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (lines::nvrtc_version().empty() || cache_directory().empty()) {
    std::fprintf(stderr, "there is no libnvrtc, or no folder to keep kernels in\n");
    return 1;
  }
  try {
    const bool checked = argc > 1 && std::string(argv[1]) == "--checked";
    for (int i = checked ? 2 : 1; i < argc; ++i) {
      int n = 0, m = 0;
      if (std::sscanf(argv[i], "%dx%d", &n, &m) == 2)
        warm_planes(n, m, checked);
      else
        warm_lines(n, checked);
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
