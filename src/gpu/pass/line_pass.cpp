// Lines along one strided axis in one pass over memory (device/line_pass.hpp).
#include "device/line_pass.hpp"

#include <algorithm>
#include <utility>

#include "gpu/check/line_weights.hpp"
#include "gpu/pass/catalogue.hpp"

namespace shardfft::gpu {

namespace {

/// The places of lines: strides between points, and between rows of neighbours, at all owners; and the written ones.
struct Rows {
  const std::vector<std::int64_t>& strides;
  const std::vector<std::int64_t>& written;
  std::int64_t count, across;
};

/// Whether some rows begin within units; none if there is no kernel for such rows, or a slower one.
std::optional<bool> has_odd_rows(const FftSpec& spec, LinesFor purpose, const Rows& rows, const LineOwners* owners) {
  const Loop& line = spec.transform.front();
  // Bulk copies need rows that begin at multiples of 16 bytes.
  const auto is_whole = [&](std::int64_t numbers) { return device::lines::begins_with_units(numbers, spec.precision); };
  const bool odd = !std::all_of(rows.strides.begin(), rows.strides.end(), is_whole);
  // One call of cuFFT takes one loop beside the lines. With two loops it would need many calls.
  const bool any = purpose == LinesFor::trial || (purpose == LinesFor::alone && rows.count > 1);
  // If points are written to owners, only rows that are read may be odd.
  const bool owners_fit = owners == nullptr || (owners->side == LineOwners::Side::output &&
                                                std::all_of(rows.written.begin(), rows.written.end(), is_whole));
  if (odd && (!any || !owners_fit)) return std::nullopt;
  if (owners != nullptr)
    for (const LineOwners::Run& run : owners->direct)
      if (!is_whole(run.offset)) return std::nullopt;
  if (!device::lines::countable(rows.count, rows.across)) return std::nullopt;
  // Narrow rows would leave most of a bundle empty.
  if (2 * rows.across < device::lines::granule(spec.precision) ||
      !device::lines::worthwhile(line.count, line.count * rows.across * rows.count * spec.ranks))
    return std::nullopt;
  if (odd && !device::lines::takes_odd_rows(static_cast<int>(line.count))) return std::nullopt;
  for (const std::int64_t stride : rows.strides)
    if (!any && !device::lines::faster(line.count, stride, spec.precision)) return std::nullopt;
  return odd;
}

/// The pass without its arrays; none if there is no kernel for it.
std::optional<device::lines::Pass> pass_of(const FftSpec& spec, LinesFor purpose, const LineOwners* owners = nullptr) {
  if (spec.kind != Kind::c2c || spec.transform.size() != 1 || is_empty(spec)) return std::nullopt;
  const Loop& line = spec.transform.front();
  if (owners != nullptr && (owners->direct.empty() || owners->line != owners->stride_here(line))) return std::nullopt;
  const std::vector<LineOwners::Run> direct = owners != nullptr ? owners->direct : std::vector<LineOwners::Run>();
  Loops loops = merged_loops(spec.batch, owners);
  const auto contiguous = std::find_if(loops.begin(), loops.end(), [&](const Loop& loop) {
    return loop.from == 1 && loop.to == 1 && std::all_of(direct.begin(), direct.end(), [&](const LineOwners::Run& run) {
             return owners->stride_there(loop, run) == 1;
           });
  });
  if (contiguous == loops.end() || loops.size() > 2) return std::nullopt;
  const std::int64_t across = contiguous->count;
  loops.erase(contiguous);
  const std::int64_t some = device::lines::whole_bundles(across, spec.precision);  // a pass needs a stride
  const Loop outer = loops.empty() ? Loop{1, some, some} : loops.front();
  std::vector<std::int64_t> strides{line.from, line.to, outer.from, outer.to}, written{line.to, outer.to};
  for (const LineOwners::Run& run : direct)
    for (const std::int64_t stride : {run.line, loops.empty() ? some : owners->stride_there(outer, run)}) {
      strides.push_back(stride);
      written.push_back(stride);
    }
  const std::optional<bool> odd_rows = has_odd_rows(spec, purpose, {strides, written, outer.count, across}, owners);
  if (!odd_rows) return std::nullopt;
  const bool odd = *odd_rows;
  device::lines::Pass pass;
  pass.n = static_cast<int>(line.count);
  pass.precision = spec.precision;
  pass.direction = spec.direction;
  pass.in.part[0] = {nullptr, line.from, outer.from};
  pass.out.part[0] = {nullptr, line.to, outer.to};
  pass.outer_end = outer.count;
  pass.m_end = across;
  // From padded rows to dense ones: otherwise most stores would end in the middle of a run of memory.
  pass.align_stores = owners == nullptr && outer.count > 1 &&
                      device::lines::begins_with_runs(outer.from, spec.precision) &&
                      !device::lines::begins_with_runs(outer.to, spec.precision);
  if (odd || pass.align_stores) pass.out.columns = across;  // the last bundle of a row ends with the row
  pass.scale = spec.scale;
  if (owners != nullptr) {
    const bool reads = owners->side == LineOwners::Side::input;
    share(reads ? pass.in : pass.out, pass.n, *owners, loops.empty() ? nullptr : &outer, some);
    if (reads && !device::lines::reads_from(pass.n, pass.in)) return std::nullopt;
  }
  return pass;
}

class LinePass : public FftPass {
 public:
  explicit LinePass(const FftSpec& spec, const device::lines::Pass& pass) : spec_(spec), pass_(pass) {}
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    const bool is_shared = !arrays.direct_arrays.empty();
    device::lines::Pass pass = is_shared ? shared_ : pass_;
    auto* const from = const_cast<std::byte*>(arrays.from);  // only read
    pass.in.part[0].base = from;
    pass.out.part[0].base = arrays.to;
    if (is_shared) {
      const bool reads = owners_.side == LineOwners::Side::input;
      place(reads ? pass.in : pass.out, pass.n, owners_, pass.precision, reads ? from : arrays.to,
            arrays.direct_arrays);
    }
    if (arrays.results != nullptr) pass.checks = weights_.checks(arrays.results);
    if (arrays.factors != nullptr) pass.factors = *arrays.factors;
    device::lines::run(pass, stream);
  }
  std::optional<ResultLines> result_lines() const override {
    if (pass_.direction == Direction::backward || !device::lines::checkable(pass_.n)) return std::nullopt;
    const device::lines::Part& out = pass_.out.part[0];
    return ResultLines{pass_.n, out.line_stride, pass_.outer_end, out.outer_stride, pass_.m_end};
  }
  void prepare_to_multiply() override {
    device::lines::prepare_to_multiply(pass_.n, pass_.precision, device::lines::is_odd(pass_));
  }
  RunnerMemory kept() const override { return {.table = weights_.bytes()}; }
  std::string name() const override { return "line pass"; }
  void prepare(bool checks) override {
    const bool odd = device::lines::is_odd(pass_);
    if (!checks) return device::lines::prepare(pass_.n, pass_.precision, odd);
    device::lines::prepare_checked(pass_.n, pass_.precision, odd);
    weights_ = LineWeights(Kind::c2c, pass_.n, pass_.precision, pass_.scale);
  }
  bool accept(const LineOwners& owners) override {
    const auto shared = pass_of(spec_, LinesFor::alone, &owners);
    if (!shared) return false;
    shared_ = *shared;
    owners_ = owners;
    return true;
  }

 private:
  FftSpec spec_;
  device::lines::Pass pass_, shared_;  ///< with all points in one array; with direct runs in others
  LineOwners owners_;
  LineWeights weights_;
};

}  // namespace

extern const PassRecord line_pass{
    .name = "line pass",
    .own = true,
    .scales = true,
    .in_one_array = true,
    .fits = [](const FftSpec& spec, const PassUse& use) { return pass_of(spec, use.lines).has_value(); },
    .make = [](const FftSpec& spec, const PassUse& use) -> PassPointer {
      return std::make_unique<LinePass>(spec, *pass_of(spec, use.lines));
    },
    .compile_ahead =
        [](const FftSpec& spec, const PassUse& use, bool checks) {
          const auto pass = *pass_of(spec, use.lines);
          device::lines::compile_ahead({pass.n, pass.precision, device::lines::is_odd(pass), checks});
        },
    .compile_to_multiply =
        [](const FftSpec& spec, const PassUse& use) {
          const auto pass = *pass_of(spec, use.lines);
          device::lines::compile_ahead({pass.n, pass.precision, device::lines::is_odd(pass), false, true});
        },
    .checks =
        [](const FftSpec& spec) { return device::lines::checkable(static_cast<int>(spec.transform.front().count)); },
    .accepts = [](const FftSpec& spec, const PassUse&,
                  const LineOwners& owners) { return pass_of(spec, LinesFor::alone, &owners).has_value(); }};

}  // namespace shardfft::gpu
