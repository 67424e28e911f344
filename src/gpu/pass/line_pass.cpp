#include "gpu/pass/line_pass.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "local/loops.hpp"

namespace shardfft::gpu {

namespace {

/// A loop over lines, with its strides in all arrays of the pass.
struct BatchLoop {
  std::int64_t n = 1;
  std::array<std::int64_t, 3> stride{1, 1, 1};  ///< input, output, at the other end of the reshape

  bool continues(const BatchLoop& inner) const {
    for (std::size_t i = 0; i < stride.size(); ++i)
      if (stride[i] != inner.n * inner.stride[i]) return false;
    return true;
  }
  bool contiguous() const { return stride == std::array<std::int64_t, 3>{1, 1, 1}; }
};

bool merge_pair(std::vector<BatchLoop>& loops) {
  for (std::size_t a = 0; a < loops.size(); ++a)
    for (std::size_t b = 0; b < loops.size(); ++b) {
      if (a == b || !loops[a].continues(loops[b])) continue;
      loops[b].n *= loops[a].n;
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(a));
      return true;
    }
  return false;
}

std::vector<BatchLoop> merged_loops(const FftSpec& spec, const OwnPoints* own) {
  std::vector<BatchLoop> loops;
  for (std::size_t i = 0; i < spec.batch.size(); ++i) {
    const FftDim& d = spec.batch[i];
    if (d.n != 1) loops.push_back({d.n, {d.in_stride, d.out_stride, own != nullptr ? own->batch[i] : d.out_stride}});
  }
  while (merge_pair(loops)) {
  }
  return loops;
}

device::lines::Side& side_of(device::lines::Pass& pass, OwnPoints::Side side) {
  return side == OwnPoints::Side::input ? pass.in : pass.out;
}

/// Gives the points of one side their owners.
void share(device::lines::Pass& pass, const OwnPoints& own, std::int64_t outer_stride) {
  device::lines::Side& side = side_of(pass, own.side);
  const device::lines::Part rest = side.part[0];
  side.block = (pass.n + own.runs - 1) / own.runs;
  if (pass.n % own.runs != 0) side.whole_owners = pass.n % own.runs;
  for (int q = 0; q < own.runs; ++q) side.part[static_cast<std::size_t>(q)] = rest;
  side.part[static_cast<std::size_t>(own.run)] = {nullptr, own.line_stride, outer_stride};
}

bool in_near_equal_runs(const std::vector<Progression>& parts, std::int64_t n) {
  const auto runs = static_cast<std::int64_t>(parts.size());
  for (std::int64_t i = 0; i < runs; ++i)
    if (!(parts[static_cast<std::size_t>(i)] == block_part(n, runs, i))) return false;
  return true;
}

bool is_within(const Progression& inner, const Progression& outer) {
  return inner.stride == 1 && outer.stride == 1 && inner.first >= outer.first && inner.last() <= outer.last();
}

}  // namespace

std::optional<OwnPoints> own_points(const TransformStep& step, const Piece& here, const Layout& beyond, int rank,
                                    OwnPoints::Side side) {
  if (step.axes.size() != 1 || !beyond.is_grid() || here.set.empty()) return std::nullopt;
  const int line = step.axes.front().axis;
  const auto l = static_cast<std::size_t>(line);
  const Piece there = only_piece(beyond, rank);
  const std::vector<Progression>& parts = beyond.parts(line);
  const std::int64_t n = here.set.axis[l].count;
  if (there.set.empty() || parts.size() < 2 || parts.size() > device::lines::max_owners ||
      n < 2 * static_cast<std::int64_t>(parts.size()) || !in_near_equal_runs(parts, n))
    return std::nullopt;
  OwnPoints own;
  own.side = side;
  own.runs = static_cast<int>(parts.size());
  own.run = static_cast<int>(std::find(parts.begin(), parts.end(), there.set.axis[l]) - parts.begin());
  own.offset = there.offset;
  own.line_stride = there.stride[l];
  for (int axis = 0; axis < here.set.axes; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (axis == line) continue;
    const Progression &mine = here.set.axis[a], &theirs = there.set.axis[a];
    if (!is_within(mine, theirs)) return std::nullopt;
    own.offset += (mine.first - theirs.first) * there.stride[a];
    if (mine.count > 1) own.batch.push_back(there.stride[a]);
  }
  return own;
}

std::optional<device::lines::Pass> line_pass(const FftSpec& spec, const OwnPoints* own, LinesFor purpose) {
  if (spec.kind != Kind::c2c || spec.transform.size() != 1) return std::nullopt;
  const FftDim& line = spec.transform.front();
  std::vector<BatchLoop> loops = merged_loops(spec, own);
  const auto contiguous =
      std::find_if(loops.begin(), loops.end(), [](const BatchLoop& loop) { return loop.contiguous(); });
  if (contiguous == loops.end() || loops.size() > 2) return std::nullopt;
  const std::int64_t across = contiguous->n;
  loops.erase(contiguous);
  const std::int64_t some = device::lines::whole_bundles(across, spec.precision);  // a pass wants a stride
  const BatchLoop outer = loops.empty() ? BatchLoop{1, {some, some, some}} : loops.front();
  std::vector<std::int64_t> strides{line.in_stride, line.out_stride, outer.stride[0], outer.stride[1]};
  if (own != nullptr) strides.insert(strides.end(), {own->line_stride, outer.stride[2]});
  // Bulk copies want rows that begin at multiples of 16 bytes.
  const bool odd = std::any_of(strides.begin(), strides.end(), [&](std::int64_t stride) {
    return !device::lines::begins_with_units(stride, spec.precision);
  });
  // One call of cuFFT takes one loop beside the lines. With two loops it would need many calls.
  const bool any = purpose == LinesFor::trial || (purpose == LinesFor::alone && outer.n > 1);
  if (odd && (!any || own != nullptr)) return std::nullopt;
  if (!device::lines::countable(outer.n, across)) return std::nullopt;
  // Narrow rows would leave most of a bundle empty.
  if (2 * across < device::lines::granule(spec.precision) ||
      !device::lines::worthwhile(line.n, line.n * across * outer.n))
    return std::nullopt;
  if (odd && !device::lines::takes_odd_rows(static_cast<int>(line.n))) return std::nullopt;
  for (const std::int64_t stride : strides)
    if (!any && !device::lines::faster(line.n, stride, spec.precision)) return std::nullopt;
  device::lines::Pass pass;
  pass.n = static_cast<int>(line.n);
  pass.precision = spec.precision;
  pass.direction = spec.direction;
  pass.in.part[0] = {nullptr, line.in_stride, outer.stride[0]};
  pass.out.part[0] = {nullptr, line.out_stride, outer.stride[1]};
  pass.outer_end = outer.n;
  pass.m_end = across;
  if (odd) pass.out.columns = across;  // the last bundle of a row ends there, wherever it begins
  pass.scale = spec.scale;
  if (own == nullptr) return pass;
  share(pass, *own, outer.stride[2]);
  if (own->side == OwnPoints::Side::input && !device::lines::reads_from(pass.n, pass.in)) return std::nullopt;
  return pass;
}

OwnPointsPass::OwnPointsPass(const device::lines::Pass& pass, OwnPoints own) : pass_(pass), own_(std::move(own)) {
  device::lines::prepare(pass.n, pass.precision);
}

void OwnPointsPass::prepare_checks() {
  device::lines::prepare_checked(pass_.n, pass_.precision);
  weights_ = LineWeights(Kind::c2c, pass_.n, pass_.precision, pass_.scale);
}

std::int64_t OwnPointsPass::offset_beyond() const {
  return own_.offset * static_cast<std::int64_t>(ElementType{pass_.precision, true}.bytes());
}

void OwnPointsPass::enqueue(const std::byte* in, std::byte* out, std::byte* beyond, std::uint64_t* results,
                            device::StreamHandle stream) const {
  device::lines::Pass pass = pass_;
  const auto bytes = static_cast<std::int64_t>(ElementType{pass.precision, true}.bytes());
  pass.in.part[0].base = const_cast<std::byte*>(in);  // only read
  pass.out.part[0].base = out;
  device::lines::Side& side = side_of(pass, own_.side);
  std::byte* const rest = static_cast<std::byte*>(side.part[0].base);
  for (int q = 0; q < own_.runs; ++q) {
    device::lines::Part& part = side.part[static_cast<std::size_t>(q)];
    part.base = q == own_.run ? beyond + offset_beyond()
                              : rest + device::lines::owner_begin(side, pass.n, q) * part.line_stride * bytes;
  }
  if (results != nullptr) pass.checks = weights_.checks(results);
  device::lines::run(pass, stream);
}

std::optional<OwnPointsPass> make_own_points_pass(const FftSpec& spec, const OwnPoints& own) {
  if (is_empty(spec)) return std::nullopt;
  const auto pass = line_pass(spec, &own, LinesFor::alone);
  if (!pass) return std::nullopt;
  return OwnPointsPass(*pass, own);
}

}  // namespace shardfft::gpu
