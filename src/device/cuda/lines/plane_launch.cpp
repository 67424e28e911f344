// From a PlanePass to a kernel launch.
#include "device/cuda/lines/plane_launch.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "device/cuda/lines/jit.hpp"
#include "device/cuda/lines/kernel_planes.hpp"
#include "device/cuda/lines/plane_variant.hpp"
#include "device/cuda/lines/registry.hpp"
#include "device/runtime.hpp"

namespace shardfft::device::lines {

namespace {

const PlaneVariant* find_variant(const PlaneCut& cut, Precision precision) {
  return precision == Precision::f64 ? find_planes_f64(cut) : find_planes_f32(cut);
}

KernelRows kernel_rows(const PlanePass& pass) {
  const Pass& columns = pass.columns;
  const bool backward = columns.direction == Direction::backward;
  const Part& inside = inner_side(pass).part[0];
  const auto bytes = static_cast<long long>(ElementType{columns.precision, true}.bytes());
  const long long outer_bytes = pass.real ? bytes / 2 : bytes;
  KernelRows k{static_cast<const char*>(inside.base),
               static_cast<char*>(pass.rows.base),
               inside.line_stride * bytes,
               pass.rows.line_stride * outer_bytes,
               inside.outer_stride * bytes,
               pass.rows.outer_stride * outer_bytes,
               static_cast<unsigned>(columns.m_begin),
               static_cast<unsigned>(columns.m_end - columns.m_begin)};
  if (backward) return k;
  k.in = static_cast<const char*>(pass.rows.base);
  k.out = static_cast<char*>(inside.base);
  std::swap(k.in_stride, k.out_stride);
  std::swap(k.in_plane, k.out_plane);
  return k;
}

/// Both axes are compared together, and the columns' results are those of both.
void add_checks(KernelPlanes& k, const PlanePass& pass, const PlaneCut& cut) {
  k.row_checks = kernel_checks(pass.row_checks, pass.m, cut.lines * unit(pass.columns.precision) * (pass.real ? 2 : 1));
  k.column_checks = kernel_checks(pass.columns.checks, pass.columns.n, cut.width * unit(pass.columns.precision));
  k.column_checks.tiles = std::min(k.column_checks.tiles, k.row_checks.tiles);
  k.column_checks.floor += k.row_checks.floor;
}

/// Whole rows, and points of columns if tiles have whole lines of the L2 cache.
void add_spent(KernelPlanes& k, const PlanePass& pass, const PlaneCut& cut) {
  const auto [rows, begin, end] = spent(pass);
  const auto bytes = static_cast<std::int64_t>(ElementType{pass.columns.precision, true}.bytes());
  if (rows) k.rows.spent_bytes = static_cast<unsigned>(spectrum_points(pass.m, pass.real) * bytes);
  const std::int64_t tile = std::int64_t{cut.width} * unit_bytes;
  for (const std::int64_t begins : {tile, std::int64_t{k.rows.out_stride}, std::int64_t{k.rows.out_plane},
                                    static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(k.rows.out))})
    if (begins % run_bytes != 0) return;
  k.spent_tiles = static_cast<unsigned>(begin < end ? pass.columns.m_end * bytes / tile : 0);
  k.spent_begin = static_cast<unsigned>(begin);
  k.spent_end = static_cast<unsigned>(end);
}

}  // namespace

/// Chooses by the stack of their code, once for a device.
const PlaneCut& choose_cut(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills) {
  skills = chosen_by(skills);
  const int n = cuts.front().columns.n, m = cuts.front().rows.n;
  static std::mutex mutex;
  static std::map<std::tuple<int, int, int, Precision, bool, bool>, const PlaneCut*> chosen;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto at = chosen.try_emplace({current_device(), n, m, precision, skills.real, skills.checks}, nullptr).first;
  if (at->second == nullptr) at->second = &choose_cut(cuts, precision, skills, architecture());
  return *at->second;
}

void compile_ahead(const std::vector<PlaneCut>& cuts, Precision precision, PlaneSkills skills) {
  if (skills.checks || find_variant(cuts.front(), precision) == nullptr)
    begin_machine_code(cuts, precision, skills, architecture());
}

/// Compiled at run time unless they are the library's own, which check nothing.
std::shared_ptr<const PreparedPlanes> make_prepared(const PlaneCut& cut, Precision precision, PlaneSkills skills) {
  auto made = std::make_shared<PreparedPlanes>();
  PreparedPlanes& prepared = *made;
  prepared.cut = cut;
  prepared.row_table = twiddles(cut.rows, precision);
  prepared.column_table = twiddles(cut.columns, precision);
  const int bytes = shared_bytes(cut, precision, skills.checks);
  const PlaneVariant* const own = skills.checks ? nullptr : find_variant(cut, precision);
  CompiledPair compiled;
  if (own == nullptr) compiled = load(machine_code(cut, precision, skills, architecture()));
  for (const bool backward : {false, true})
    prepared.kernel[backward] = own != nullptr
                                    ? make_kernel(own->kernel[skills.real][backward], cut.threads(), bytes, 1)
                                    : Kernel(compiled.function[backward], cut.threads(), bytes, 1);
  return made;
}

void launch(const PreparedPlanes& prepared, const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const PlaneCut& cut = prepared.cut;
  const Pass& columns = pass.columns;
  const int lines = unit(columns.precision);
  KernelPlanes k{};
  k.columns_in = kernel_input(columns, {cut.columns, cut.width});
  k.columns_out = kernel_output(columns, cut.columns);
  k.rows = kernel_rows(pass);
  k.row_table = prepared.row_table;
  k.column_table = prepared.column_table;
  k.ticket = counters;
  k.done = counters + 1;
  k.planes = static_cast<unsigned>(columns.outer_end - columns.outer_begin);
  if (k.planes == 0) return;
  k.outer_begin = static_cast<unsigned>(columns.outer_begin);
  k.m_begin = static_cast<unsigned>(columns.m_begin / lines);
  const int rows = cut.lines * lines * (pass.real ? 2 : 1), bundle = cut.width * lines;
  const std::int64_t end = std::min(columns.m_end, columns.out.columns);
  k.row_tiles = static_cast<unsigned>((columns.n + rows - 1) / rows);
  k.column_tiles = static_cast<unsigned>((columns.m_end - columns.m_begin + bundle - 1) / bundle);
  k.columns = static_cast<unsigned>(end * 2 / lines);
  k.scale = columns.scale;
  add_checks(k, pass, cut);
  add_spent(k, pass, cut);
  const int tiles_at_once = cut.groups * current_facts().multiprocessors;
  k.ahead =
      std::min(k.planes,
               static_cast<unsigned>(planes_ahead(pass, k.row_tiles + k.column_tiles, tiles_at_once, current_facts())));
  check(cudaMemsetAsync(counters, 0, plane_counters(k.planes) * sizeof *counters, static_cast<cudaStream_t>(stream)),
        "cudaMemsetAsync");
  const bool backward = columns.direction == Direction::backward;
  prepared.kernel[backward].launch(&k, k.planes * (k.row_tiles + k.column_tiles), columns.blocks, stream);
}

}  // namespace shardfft::device::lines
