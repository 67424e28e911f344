#include "gpu/pass/fft_passes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "device/copy_box.hpp"
#include "device/handles.hpp"
#include "device/plane_pass.hpp"
#include "device/pointwise.hpp"
#include "device/vendor_fft.hpp"
#include "gpu/check/line_weights.hpp"
#include "gpu/pass/line_pass.hpp"
#include "local/loops.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

class LinePass : public FftPass {
 public:
  explicit LinePass(const device::lines::Pass& pass) : pass_(pass) {}
  void enqueue(const std::byte* from, std::byte* to, std::byte* /*scratch*/,
               device::StreamHandle stream) const override {
    run(pass_, from, to, stream);
  }
  std::size_t held_bytes() const override { return weights_.bytes(); }
  std::string name() const override { return "line pass"; }
  bool checks_itself() const override { return device::lines::checkable(pass_.n); }
  void prepare_checks() override {
    device::lines::prepare_checked(pass_.n, pass_.precision, device::lines::is_odd(pass_));
    weights_ = LineWeights(Kind::c2c, pass_.n, pass_.precision, pass_.scale);
  }
  void enqueue_checked(const std::byte* from, std::byte* to, std::byte* /*scratch*/, std::uint64_t* results,
                       device::StreamHandle stream) const override {
    device::lines::Pass pass = pass_;
    pass.checks = weights_.checks(results);
    run(pass, from, to, stream);
  }
  bool scales() const override { return true; }

 private:
  static void run(device::lines::Pass pass, const std::byte* from, std::byte* to, device::StreamHandle stream) {
    pass.in.part[0].base = const_cast<std::byte*>(from);  // only read
    pass.out.part[0].base = to;
    device::lines::run(pass, stream);
  }

  device::lines::Pass pass_;
  LineWeights weights_;
};

/// `stays`: planes on the way back are transformed along their columns in the array they are read from.
class PlanePass : public FftPass {
 public:
  PlanePass(const device::lines::PlanePass& pass, bool stays)
      : pass_(pass), stays_(stays), counters_(device::make_memory(counter_bytes(pass))) {}
  void enqueue(const std::byte* from, std::byte* to, std::byte* /*scratch*/,
               device::StreamHandle stream) const override {
    run(pass_, from, to, stream);
  }
  std::size_t held_bytes() const override { return counter_bytes(pass_) + weights_.bytes(); }
  std::string name() const override { return pass_.only_rows() ? "row pass" : "plane pass"; }
  int bits_between_are() const override {
    return !pass_.only_rows() ? 0 : pass_.columns.direction == Direction::forward ? 1 : -1;
  }
  bool checks_itself() const override { return device::lines::planes_checkable(pass_.columns.n, pass_.m); }
  void prepare_checks() override {
    const device::lines::Pass& columns = pass_.columns;
    device::lines::prepare_checked_planes(columns.n, pass_.m, columns.precision, pass_.real);
    weights_ = PlaneWeights(columns.n, pass_.m, pass_.real, columns.precision, columns.direction, columns.scale);
  }
  void enqueue_checked(const std::byte* from, std::byte* to, std::byte* /*scratch*/, std::uint64_t* results,
                       device::StreamHandle stream) const override {
    device::lines::PlanePass pass = pass_;
    weights_.add_to(pass, results);
    run(pass, from, to, stream);
  }
  bool scales() const override { return !pass_.only_rows(); }

 private:
  void run(device::lines::PlanePass pass, const std::byte* from, std::byte* to, device::StreamHandle stream) const {
    std::byte* const in = const_cast<std::byte*>(from);  // only read, or as cuFFT's c2r may
    const bool forward = pass.columns.direction == Direction::forward;
    pass.rows.base = forward ? in : to;
    pass.columns.in.part[0].base = forward ? to : in;
    pass.columns.out.part[0].base = forward || !stays_ ? to : in;
    device::lines::run(pass, static_cast<std::uint32_t*>(counters_.get()), stream);
  }
  static std::size_t counter_bytes(const device::lines::PlanePass& pass) {
    return device::lines::plane_counters(pass.columns.outer_end) * sizeof(std::uint32_t);
  }

  device::lines::PlanePass pass_;
  bool stays_;
  device::Memory counters_;
  PlaneWeights weights_;
};

class CufftPass : public FftPass {
 public:
  CufftPass(device::VendorFft plan, Direction direction, std::vector<std::pair<std::int64_t, std::int64_t>> offsets)
      : plan_(std::move(plan)), direction_(direction), offsets_(std::move(offsets)) {}
  void enqueue(const std::byte* from, std::byte* to, std::byte* /*scratch*/,
               device::StreamHandle stream) const override {
    for (const auto& [in, out] : offsets_) plan_.execute(from + in, to + out, direction_, stream);
  }
  std::size_t library_bytes() const override { return plan_.work_bytes(); }
  std::string name() const override {
    return offsets_.size() == 1 ? "cufft" : std::to_string(offsets_.size()) + " calls of cufft";
  }

 private:
  device::VendorFft plan_;
  Direction direction_;
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets_;  ///< in bytes, one a call
};

class CopyPass : public FftPass {
 public:
  CopyPass(const Box& from, const Box& to, std::size_t element_bytes)
      : from_(from), to_(to), element_bytes_(element_bytes) {}
  void enqueue(const std::byte* from, std::byte* to, std::byte* /*scratch*/,
               device::StreamHandle stream) const override {
    device::copy_box(from, from_, to, to_, element_bytes_, stream);
  }
  std::string name() const override { return "copy"; }

 private:
  Box from_, to_;
  std::size_t element_bytes_;
};

class PlainCopy : public FftPass {
 public:
  explicit PlainCopy(std::size_t bytes) : bytes_(bytes) {}
  void enqueue(const std::byte* from, std::byte* to, std::byte* /*scratch*/,
               device::StreamHandle stream) const override {
    if (from != to) device::copy_bytes(to, from, bytes_, stream);
  }
  std::string name() const override { return "copy"; }

 private:
  std::size_t bytes_;
};

class ScalePass : public FftPass {
 public:
  ScalePass(std::int64_t count, ElementType element, double factor)
      : count_(count), element_(element), factor_(factor) {}
  void enqueue(const std::byte* /*from*/, std::byte* to, std::byte* /*scratch*/,
               device::StreamHandle stream) const override {
    device::scale(to, count_, element_, factor_, stream);
  }
  std::string name() const override { return "scale"; }

 private:
  std::int64_t count_;
  ElementType element_;
  double factor_;
};

/// One side's strides as cuFFT has them, the slowest axis first; none where they do not nest.
std::optional<device::VendorFftSide> nested(const Loops& axes, std::int64_t FftDim::*stride, bool half) {
  device::VendorFftSide side;
  const auto points_of = [&](std::size_t i) { return half && i + 1 == axes.size() ? axes[i].n / 2 + 1 : axes[i].n; };
  side.stride = axes.back().*stride;
  side.embed.push_back(points_of(0));
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const std::int64_t outer = axes[i - 1].*stride, inner = axes[i].*stride;
    if (outer % inner != 0 || outer / inner < points_of(i)) return std::nullopt;
    side.embed.push_back(outer / inner);
  }
  return side;
}

/// Row-major strides of loops of `counts` points.
std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> strides(counts.size());
  std::int64_t stride = 1;
  for (std::size_t i = counts.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= counts[i];
  }
  return strides;
}

enum class PlanesFor {
  results,
  lines,  ///< behind or before them: what is between the axes is no result, and has room for whole units of 16 bytes
  rows    ///< alone
};

/// The pass over planes of neighbouring points along the last axis, rows and planes at any stride, without its arrays.
std::optional<device::lines::PlanePass> plane_pass(const FftSpec& spec, PlanesFor purpose = PlanesFor::results) {
  const bool room = purpose == PlanesFor::lines, only_rows = purpose == PlanesFor::rows;
  const bool real = spec.kind != Kind::c2c, apart = real || purpose != PlanesFor::results;
  if (spec.transform.size() != 2) return std::nullopt;
  if (real && (spec.kind == Kind::r2c) != (spec.direction == Direction::forward)) return std::nullopt;
  const FftDim &column = spec.transform.front(), &row = spec.transform.back();
  if (!(only_rows ? device::lines::rows_supported(column.n, row.n)
                  : device::lines::planes_supported(column.n, row.n, spec.precision, real)))
    return std::nullopt;
  const std::int64_t points = device::lines::spectrum_points(row.n, real);
  if (!room && points % device::lines::unit(spec.precision) != 0) return std::nullopt;
  const Loops loops = merged(spec.batch);
  if (loops.size() > 1 || row.in_stride != 1 || row.out_stride != 1) return std::nullopt;
  const FftDim outer =
      loops.empty() ? FftDim{1, column.n * column.in_stride, column.n * column.out_stride} : loops.front();
  if (outer.n * column.n * row.n < gpu_defaults().elements_worth_passes || !device::lines::countable(outer.n, points))
    return std::nullopt;
  const bool forward = spec.direction == Direction::forward;
  for (const FftDim& d : {column, outer}) {
    const std::int64_t rows = forward ? d.in_stride : d.out_stride, spectra = forward ? d.out_stride : d.in_stride;
    if (!device::lines::rows_may_begin(row.n, rows, {spec.precision, !real}) ||
        !device::lines::begins_with_units(apart ? spectra : std::gcd(spectra, rows), spec.precision))
      return std::nullopt;
  }
  const device::lines::Part in{nullptr, column.in_stride, outer.in_stride},
      out{nullptr, column.out_stride, outer.out_stride};
  device::lines::PlanePass pass;
  pass.real = real;
  pass.m = static_cast<int>(row.n);
  pass.rows = forward ? in : out;
  device::lines::Pass& columns = pass.columns;
  columns.n = static_cast<int>(column.n);
  columns.precision = spec.precision;
  columns.direction = spec.direction;
  // Columns come from, or go to, where the rows are not, or stay with the spectra.
  columns.in.part[0] = forward ? out : in;
  columns.out.part[0] = apart && !forward ? in : out;
  columns.outer_end = outer.n;
  columns.m_end = points;
  if (only_rows) columns.m_begin = columns.m_end = points - points % device::lines::unit(spec.precision);
  columns.scale = spec.scale;
  return pass;
}

/// Rows alone. Neighbours make a plane, so that the kernel is that of planes there, where they are one.
std::optional<device::lines::PlanePass> row_pass(const FftSpec& spec) {
  if (spec.transform.size() != 1 || spec.kind == Kind::r2r || is_empty(spec) || spec.batch.empty()) return std::nullopt;
  FftSpec planes = spec;
  const auto next = std::min_element(planes.batch.begin(), planes.batch.end(),
                                     [](const FftDim& a, const FftDim& b) { return a.in_stride < b.in_stride; });
  planes.transform = {*next, spec.transform.front()};
  planes.batch.erase(next);
  const auto pass = plane_pass(planes, PlanesFor::rows);
  return pass && device::lines::planes_checkable(pass->columns.n, pass->m) ? pass : std::nullopt;
}

PassPointer made(const std::optional<device::lines::PlanePass>& pass, bool stays) {
  if (!pass) return nullptr;
  device::lines::prepare_planes(pass->columns.n, pass->m, pass->columns.precision, pass->real);
  return std::make_unique<PlanePass>(*pass, stays);
}

PassPointer made(const std::optional<device::lines::Pass>& pass) {
  if (!pass) return nullptr;
  device::lines::prepare(pass->n, pass->precision, device::lines::is_odd(*pass));
  return std::make_unique<LinePass>(*pass);
}

/// Calls of cuFFT: what each does, and the loops around them.
struct CufftCalls {
  bool possible = false;
  device::VendorFftSpec one;
  Loops loops;
};

/// Not possible where its strides cannot say it in `most_calls` calls.
CufftCalls cufft_calls(const FftSpec& spec, std::int64_t most_calls) {
  CufftCalls calls;
  if (spec.transform.empty() || spec.transform.size() > (spec.kind == Kind::c2r ? 1 : 3)) return calls;
  const auto in = nested(spec.transform, &FftDim::in_stride, spec.kind == Kind::c2r);
  const auto out = nested(spec.transform, &FftDim::out_stride, spec.kind == Kind::r2c);
  if (!in || !out) return calls;
  calls.one = {spec.kind, spec.precision, {}, 1, *in, *out};
  calls.loops = merged(spec.batch);
  for (const FftDim& d : spec.transform) calls.one.extents.push_back(d.n);
  if (!calls.loops.empty()) {
    const auto longest = std::max_element(calls.loops.begin(), calls.loops.end(),
                                          [](const FftDim& a, const FftDim& b) { return a.n < b.n; });
    calls.one.batch = longest->n;
    calls.one.in.distance = longest->in_stride;
    calls.one.out.distance = longest->out_stride;
    calls.loops.erase(longest);
  }
  // cuFFT wants real arrays to begin where a complex number could.
  const bool aligned = std::none_of(calls.loops.begin(), calls.loops.end(), [&spec](const FftDim& d) {
    return (spec.kind == Kind::r2c && d.in_stride % 2 != 0) || (spec.kind == Kind::c2r && d.out_stride % 2 != 0);
  });
  calls.possible = aligned && points(calls.loops) <= most_calls;
  return calls;
}

}  // namespace

void FftPass::enqueue_checked(const std::byte*, std::byte*, std::byte*, std::uint64_t*, device::StreamHandle) const {
  fail(Status::internal, name(), " does not check itself");
}

Box box_of(const Loops& loops, std::int64_t FftDim::*stride) {
  Box box;
  for (const FftDim& loop : loops) {
    if (loop.n == 1) continue;
    box.count[static_cast<std::size_t>(box.axes)] = loop.n;
    box.stride[static_cast<std::size_t>(box.axes)] = loop.*stride;
    ++box.axes;
  }
  return box;
}

bool plane_pass_fits(const FftSpec& spec) { return !is_empty(spec) && plane_pass(spec).has_value(); }

PassPointer make_plane_pass(const FftSpec& spec) { return made(plane_pass(spec), spec.kind != Kind::c2c); }

bool row_pass_fits(const FftSpec& spec) { return row_pass(spec).has_value(); }

PassPointer make_row_pass(const FftSpec& spec, RowsRun run) {
  const auto pass = row_pass(spec);
  if (run == RowsRun::without_checks) return made(pass, true);
  return pass ? std::make_unique<PlanePass>(*pass, true) : nullptr;  // prepare_checks() makes its kernel
}

PassPointer make_padded_plane_pass(const FftSpec& spec) { return made(plane_pass(spec, PlanesFor::lines), true); }

bool line_pass_fits(const FftSpec& spec, LinesFor purpose) {
  return !is_empty(spec) && line_pass(spec, nullptr, purpose).has_value();
}

PassPointer make_line_pass(const FftSpec& spec, LinesFor purpose) { return made(line_pass(spec, nullptr, purpose)); }

bool cufft_pass_fits(const FftSpec& spec, std::int64_t most_calls) { return cufft_calls(spec, most_calls).possible; }

std::size_t cufft_pass_work_bytes(const FftSpec& spec, std::int64_t most_calls) {
  const CufftCalls calls = cufft_calls(spec, most_calls);
  return calls.possible ? device::VendorFft::work_bytes_of(calls.one) : 0;
}

PassPointer make_cufft_pass(const FftSpec& spec, std::int64_t most_calls) {
  const CufftCalls calls = cufft_calls(spec, most_calls);
  if (!calls.possible) return nullptr;
  const auto in_bytes = static_cast<std::int64_t>(input_element(spec).bytes());
  const auto out_bytes = static_cast<std::int64_t>(output_element(spec).bytes());
  std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
  walk(calls.loops, [&](std::int64_t from, std::int64_t to, const FftDim& inner) {
    for (std::int64_t i = 0; i < inner.n; ++i)
      offsets.emplace_back((from + i * inner.in_stride) * in_bytes, (to + i * inner.out_stride) * out_bytes);
  });
  return std::make_unique<CufftPass>(device::VendorFft(calls.one), spec.direction, std::move(offsets));
}

PassPointer make_copy_pass(const std::vector<FftDim>& loops, ElementType element) {
  return std::make_unique<CopyPass>(box_of(loops, &FftDim::in_stride), box_of(loops, &FftDim::out_stride),
                                    element.bytes());
}

PassPointer make_plain_copy(std::size_t bytes) { return std::make_unique<PlainCopy>(bytes); }

PassPointer make_scale_pass(std::int64_t count, ElementType element, double factor) {
  return std::make_unique<ScalePass>(count, element, factor);
}

DenseForm dense_form(const FftSpec& spec) {
  DenseForm form;
  form.spec = spec;
  form.spec.batch = merged(spec.batch);
  Loops loops = form.spec.batch;
  loops.insert(loops.end(), spec.transform.begin(), spec.transform.end());
  std::vector<std::int64_t> in_counts, out_counts;
  for (const FftDim& loop : loops) {
    in_counts.push_back(loop.n);
    out_counts.push_back(loop.n);
  }
  if (spec.kind == Kind::c2r) in_counts.back() = in_counts.back() / 2 + 1;
  if (spec.kind == Kind::r2c) out_counts.back() = out_counts.back() / 2 + 1;
  const auto in = row_major(in_counts), out = row_major(out_counts);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    form.gather.push_back({in_counts[i], loops[i].in_stride, in[i]});
    form.scatter.push_back({out_counts[i], out[i], loops[i].out_stride});
    const std::size_t batches = form.spec.batch.size();
    FftDim& dense = i < batches ? form.spec.batch[i] : form.spec.transform[i - batches];
    dense.in_stride = in[i];
    dense.out_stride = out[i];
  }
  return form;
}

}  // namespace shardfft::gpu
