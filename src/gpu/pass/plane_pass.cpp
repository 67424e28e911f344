// Lines along both axes of planes, or along their rows alone, in one pass over memory (device/plane_pass.hpp).
#include "device/plane_pass.hpp"

#include <algorithm>
#include <numeric>

#include "device/handles.hpp"
#include "gpu/check/line_weights.hpp"
#include "gpu/pass/catalogue.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

enum class PlanesFor {
  results,
  lines,  ///< next to lines: the data between the axes is no result, and has room for whole units of 16 bytes
  rows    ///< rows alone
};

/// Whether columns on the way back are written into the array that they are read from: for real planes, for planes next
/// to lines, and if the rows behind them are no whole units of 16 bytes.
bool stay_with_spectra(const FftSpec& spec, PlanesFor purpose) {
  const Loop& column = spec.transform.front();
  const std::int64_t rows = spec.direction == Direction::forward ? column.from : column.to;
  return spec.kind != Kind::c2c || purpose != PlanesFor::results ||
         !device::lines::begins_with_units(rows, spec.precision);
}

/// The pass over planes of neighbouring points along the last axis, rows and planes at any stride, without its arrays.
std::optional<device::lines::PlanePass> planes_of(const FftSpec& spec, PlanesFor purpose, bool small = false) {
  const bool only_rows = purpose == PlanesFor::rows;
  if (spec.transform.size() != 2 || spec.kind == Kind::r2r || is_empty(spec)) return std::nullopt;
  const bool real = spec.kind != Kind::c2c, apart = stay_with_spectra(spec, purpose);
  if (spec.direction == Direction::backward && apart && !real && !only_rows && spec.preserve_input) return std::nullopt;
  if (real && (spec.kind == Kind::r2c) != (spec.direction == Direction::forward)) return std::nullopt;
  const Loop &column = spec.transform.front(), &row = spec.transform.back();
  if (!(only_rows ? device::lines::rows_supported(column.count, row.count)
                  : device::lines::planes_supported(column.count, row.count, spec.precision, real)))
    return std::nullopt;
  const std::int64_t points = device::lines::spectrum_points(row.count, real);
  const std::int64_t pitch = spec.direction == Direction::forward ? column.to : column.from;
  const bool room = purpose == PlanesFor::lines || pitch == device::lines::whole_bundles(points, spec.precision);
  if (!room && points % device::lines::unit(spec.precision) != 0) return std::nullopt;
  const Loops loops = merged(spec.batch);
  if (loops.size() > 1 || row.from != 1 || row.to != 1) return std::nullopt;
  const Loop outer = loops.empty() ? Loop{1, column.count * column.from, column.count * column.to} : loops.front();
  const std::int64_t numbers = outer.count * column.count * row.count;
  if (small ? !device::lines::planes_worthwhile(column.count, row.count, spec.precision, real, numbers * spec.ranks)
            : numbers < gpu_defaults().elements_worth_passes)
    return std::nullopt;
  if (!device::lines::countable(outer.count, points)) return std::nullopt;
  const bool forward = spec.direction == Direction::forward;
  for (const Loop& d : {column, outer}) {
    const std::int64_t rows = forward ? d.from : d.to, spectra = forward ? d.to : d.from;
    if (!device::lines::rows_may_begin(row.count, rows, {spec.precision, !real}) ||
        !device::lines::begins_with_units(apart ? spectra : std::gcd(spectra, rows), spec.precision))
      return std::nullopt;
  }
  const device::lines::Part in{nullptr, column.from, outer.from}, out{nullptr, column.to, outer.to};
  device::lines::PlanePass pass;
  pass.real = real;
  pass.m = static_cast<int>(row.count);
  pass.rows = forward ? in : out;
  device::lines::Pass& columns = pass.columns;
  columns.n = static_cast<int>(column.count);
  columns.precision = spec.precision;
  columns.direction = spec.direction;
  // Columns use the array that the rows do not use, or stay with the spectra.
  columns.in.part[0] = forward ? out : in;
  columns.out.part[0] = apart && !forward ? in : out;
  columns.outer_end = outer.count;
  columns.m_end = points;
  if (only_rows) columns.m_begin = columns.m_end = points - points % device::lines::unit(spec.precision);
  columns.scale = spec.scale;
  return pass;
}

/// Rows alone. Neighbouring rows make a plane, so that the kernel of planes runs them, if there is one.
std::optional<device::lines::PlanePass> rows_of(const FftSpec& spec) {
  if (spec.transform.size() != 1 || spec.kind == Kind::r2r || is_empty(spec) || spec.batch.empty()) return std::nullopt;
  FftSpec planes = spec;
  const auto next = std::min_element(planes.batch.begin(), planes.batch.end(),
                                     [](const Loop& a, const Loop& b) { return a.from < b.from; });
  planes.transform = {*next, spec.transform.front()};
  planes.batch.erase(next);
  const auto pass = planes_of(planes, PlanesFor::rows);
  return pass && device::lines::planes_checkable(pass->columns.n, pass->m) ? pass : std::nullopt;
}

PlanesFor purpose_of(const PassUse& use) { return use.padded ? PlanesFor::lines : PlanesFor::results; }

std::optional<device::lines::PlanePass> planes_of(const FftSpec& spec, const PassUse& use) {
  return planes_of(spec, purpose_of(use), use.small);
}

/// The places of columns with these owners, for a pass that writes columns last; none if it cannot have them.
std::optional<device::lines::Side> shared_columns(const FftSpec& spec, const device::lines::PlanePass& pass,
                                                  const LineOwners& owners) {
  const device::lines::Pass& columns = pass.columns;
  if (owners.side != LineOwners::Side::output || spec.direction != Direction::forward || pass.only_rows() ||
      owners.direct.empty() || owners.line != owners.stride_here(spec.transform.front()))
    return std::nullopt;
  const Loops loops = merged_loops(spec.batch, &owners);
  if (loops.size() > 1) return std::nullopt;
  const Loop* const outer = loops.empty() ? nullptr : &loops.front();
  for (const LineOwners::Run& run : owners.direct) {
    if (owners.stride_there(spec.transform.back(), run) != 1) return std::nullopt;
    for (const std::int64_t numbers : {run.offset, run.line, outer != nullptr ? owners.stride_there(*outer, run) : 0})
      if (!device::lines::begins_with_units(numbers, columns.precision)) return std::nullopt;
  }
  device::lines::Side side = columns.out;
  share(side, columns.n, owners, outer, side.part[0].outer_stride);
  return side;
}

class PlanePass : public FftPass {
 public:
  /// `stays`: on the way back, columns are written into the array that they are read from.
  PlanePass(const FftSpec& spec, const device::lines::PlanePass& pass, bool stays)
      : spec_(spec), pass_(pass), stays_(stays), counters_(device::make_memory(counter_bytes())) {}
  void enqueue(const PassArrays& arrays, device::StreamHandle stream) const override {
    device::lines::PlanePass pass = pass_;
    std::byte* const in = const_cast<std::byte*>(arrays.from);  // only read, unless a c2r may write there
    const bool forward = is_forward();
    pass.rows.base = forward ? in : arrays.to;
    pass.columns.in.part[0].base = forward ? arrays.to : in;
    pass.columns.out.part[0].base = forward || !stays_ ? arrays.to : in;
    if (!arrays.direct_arrays.empty()) {
      pass.columns.out = shared_;
      place(pass.columns.out, pass.columns.n, owners_, pass.columns.precision, arrays.to, arrays.direct_arrays);
    }
    if (arrays.results != nullptr) weights_.add_to(pass, arrays.results);
    device::lines::run(pass, static_cast<std::uint32_t*>(counters_.get()), stream);
  }
  RunnerMemory kept() const override { return {.table = counter_bytes() + weights_.bytes()}; }
  std::string name() const override { return pass_.only_rows() ? "row pass" : "plane pass"; }
  int bits_between_are() const override { return !pass_.only_rows() ? 0 : is_forward() ? 1 : -1; }
  void prepare(bool checks) override {
    const device::lines::Pass& columns = pass_.columns;
    if (!checks) return device::lines::prepare_planes(columns.n, pass_.m, columns.precision, pass_.real);
    device::lines::prepare_checked_planes(columns.n, pass_.m, columns.precision, pass_.real);
    weights_ = PlaneWeights(columns.n, pass_.m, pass_.real, columns.precision, columns.direction, columns.scale);
  }
  bool accept(const LineOwners& owners) override {
    const auto side = shared_columns(spec_, pass_, owners);
    if (!side) return false;
    shared_ = *side;
    owners_ = owners;
    return true;
  }

 private:
  bool is_forward() const { return pass_.columns.direction == Direction::forward; }
  std::size_t counter_bytes() const {
    return device::lines::plane_counters(pass_.columns.outer_end) * sizeof(std::uint32_t);
  }

  FftSpec spec_;
  device::lines::PlanePass pass_;
  bool stays_;
  device::Memory counters_;
  device::lines::Side shared_;  ///< places of columns with direct runs
  LineOwners owners_;
  PlaneWeights weights_;
};

void compile_planes_ahead(const device::lines::PlanePass& pass, bool checks) {
  device::lines::compile_ahead({pass.columns.n, pass.m, pass.columns.precision, pass.real, checks});
}

bool planes_check(const FftSpec& spec) {
  return device::lines::planes_checkable(static_cast<int>(spec.transform.front().count),
                                         static_cast<int>(spec.transform.back().count));
}

bool rows_check(const FftSpec& /*spec*/) { return true; }  // otherwise they do not fit

}  // namespace

/// The second axis must be contiguous in memory, and the array large. A c2r destroys its input.
extern const PassRecord plane_pass{
    .name = "plane pass",
    .own = true,
    .scales = true,
    .fits = [](const FftSpec& spec, const PassUse& use) { return use.planes && planes_of(spec, use).has_value(); },
    .make = [](const FftSpec& spec, const PassUse& use) -> PassPointer {
      return std::make_unique<PlanePass>(spec, *planes_of(spec, use), stay_with_spectra(spec, purpose_of(use)));
    },
    .compile_ahead = [](const FftSpec& spec, const PassUse& use,
                        bool checks) { compile_planes_ahead(*planes_of(spec, use), checks); },
    .checks = planes_check,
    .accepts =
        [](const FftSpec& spec, const PassUse& use, const LineOwners& owners) {
          return shared_columns(spec, *planes_of(spec, use), owners).has_value();
        }};

/// Contiguous lines of a large array by the kernel of planes. prepare(true) makes its kernel.
extern const PassRecord summed_row_pass{
    .name = "summed row pass",
    .fits = [](const FftSpec& spec, const PassUse& use) { return use.sums_rows && rows_of(spec).has_value(); },
    .make = [](const FftSpec& spec, const PassUse&) -> PassPointer {
      return std::make_unique<PlanePass>(spec, *rows_of(spec), true);
    },
    .compile_ahead =
        [](const FftSpec& spec, const PassUse&, bool checks) {
          if (checks) compile_planes_ahead(*rows_of(spec), true);
        },
    .checks = rows_check};

/// The same instead of cuFFT, if that would cross memory more than once.
extern const PassRecord row_pass{
    .name = "row pass",
    .fits = [](const FftSpec& spec, const PassUse&) { return rows_of(spec) && cufft_work_bytes(spec) > 0; },
    .make = [](const FftSpec& spec, const PassUse&) -> PassPointer {
      return std::make_unique<PlanePass>(spec, *rows_of(spec), true);
    },
    .compile_ahead = [](const FftSpec& spec, const PassUse&,
                        bool checks) { compile_planes_ahead(*rows_of(spec), checks); },
    .checks = rows_check};

}  // namespace shardfft::gpu
