// Kernels and tables on devices.
#include "device/cuda/lines/registry.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "base/environment.hpp"
#include "device/cuda/lines/variant.hpp"
#include "device/facts.hpp"

namespace shardfft::device::lines {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, current_device()), "cudaDeviceGetAttribute");
  return value;
}
/// exp(-2 pi i r j / (P R)) of every stage but the first, r from 1, j < P fastest: the order the stages read.
template <class Factor, class Scalar>
std::vector<Factor> make_table(const LineCut& line) {
  std::vector<Factor> table;
  for (int s = 1; s < line.stages; ++s) {
    const int radix = line.radix[s], product = line.before(s);
    for (int r = 1; r < radix; ++r)
      for (int j = 0; j < product; ++j) {
        const long double angle =
            -2 * 3.14159265358979323846264338327950288L * (static_cast<long double>(r) * j / (product * radix));
        table.push_back({static_cast<Scalar>(std::cos(angle)), static_cast<Scalar>(std::sin(angle))});
      }
  }
  return table;
}

template <class Factor>
const void* upload(const std::vector<Factor>& table) {
  const std::size_t bytes = table.size() * sizeof(Factor);
  void* p = nullptr;
  check(cudaMalloc(&p, bytes), "cudaMalloc of a twiddle table");
  check(cudaMemcpy(p, table.data(), bytes, cudaMemcpyHostToDevice), "upload of a twiddle table");
  // The copy may return before the data is there, and passes run on streams that do not wait for the default one.
  check(cudaStreamSynchronize(cudaStreamLegacy), "upload of a twiddle table");
  return p;
}

const Variant* find_variant(int n, Precision precision) {
  return precision == Precision::f64 ? find_f64(n) : find_f32(n);
}

void add_compiled(Prepared& prepared, Precision precision, KernelSkills skills) {
  const Recipe& recipe = prepared.recipe;
  const CompiledPair compiled = load(machine_code(recipe, precision, skills, architecture()));
  for (const bool backward : {false, true})
    prepared.kernel[backward] =
        Kernel(compiled.function[backward], recipe.tile().threads(),
               skills.checks ? recipe.checked_bytes(precision, skills.odd) : recipe.shared_bytes(precision, skills.odd),
               recipe.cluster);
}

void add_own(Prepared& prepared, const Variant& variant, Precision precision, KernelSkills skills) {
  const Recipe& recipe = prepared.recipe;
  for (const bool backward : {false, true})
    prepared.kernel[backward] = make_kernel(
        skills.multiplies && !backward ? variant.multiplies[skills.odd] : variant.kernel[skills.odd][backward],
        recipe.tile().threads(), recipe.shared_bytes(precision, skills.odd), recipe.cluster);
}

}  // namespace

bool can_compile() {
  static const bool allowed = switch_in_environment("SHARDFFT_JIT", "compile kernels at run time").value_or(true);
  return allowed && !nvrtc_version().empty();
}

int architecture() {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
}

CompiledPair load(const KernelCode& code) {
  CompiledPair pair;
  for (const bool backward : {false, true}) {
    CUmodule module = nullptr;
    check(driver().load_module(&module, code.way[backward].cubin.data()), "cuModuleLoadData");
    check(driver().function_of(&pair.function[backward], module, backward ? "backward" : "forward"),
          "cuModuleGetFunction");
  }
  return pair;
}

const void* twiddles(const LineCut& line, Precision precision) {
  static std::mutex mutex;
  static std::map<std::tuple<int, std::vector<int>, bool>, const void*> tables;
  const std::lock_guard<std::mutex> lock(mutex);
  const bool wide = precision == Precision::f64;
  const void*& table = tables[{current_device(), std::vector<int>(line.radix, line.radix + line.stages), wide}];
  if (table == nullptr)
    table = wide ? upload(make_table<double2, double>(line)) : upload(make_table<float2, float>(line));
  return table;
}

namespace {

/// The library's own kernels, which check nothing; null if they are compiled at run time.
const Variant* own_variant(const Recipe& recipe, Precision precision, KernelSkills skills) {
  const Variant* own = skills.checks ? nullptr : find_variant(recipe.line.n, precision);
  return own != nullptr && same(*own->recipe, recipe) ? own : nullptr;
}

}  // namespace

void compile_ahead(const Recipe& recipe, Precision precision, KernelSkills skills) {
  if (own_variant(recipe, precision, skills) == nullptr) begin_machine_code(recipe, precision, skills, architecture());
}

std::shared_ptr<const Prepared> make_prepared(const Recipe& recipe, Precision precision, KernelSkills skills) {
  auto made = std::make_shared<Prepared>();
  Prepared& prepared = *made;
  prepared.recipe = recipe;
  prepared.table = twiddles(recipe.line, precision);
  if (const Variant* own = own_variant(recipe, precision, skills))
    add_own(prepared, *own, precision, skills);
  else
    add_compiled(prepared, precision, skills);
  return made;
}

void launch(const Prepared& prepared, const Pass& pass, void* stream) {
  const Kernel& kernel = prepared.kernel[pass.direction == Direction::backward];
  const TileCut tile = prepared.recipe.tile(is_odd(pass));
  const auto launch_with = [&](const auto& argument) {
    if (argument.tiles > 0) kernel.launch(&argument, argument.tiles, pass.blocks, stream);
  };
  if (tile.bulk)
    launch_with(kernel_pass(pass, tile, prepared.table));
  else
    launch_with(plain_pass(pass, tile, prepared.table));
}

}  // namespace shardfft::device::lines
