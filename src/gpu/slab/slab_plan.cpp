// Planning of a slab rank: which passes are fused, the cuFFT plans, streams and events.
#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "gpu/slab/slab_rank.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

SlabRank::SlabRank(const SlabShape& shape, const SlabOptions& options, int rank, int device, device::EventUse event_use)
    : shape_(shape), options_(chosen(options, shape)), rank_(rank), device_(device) {
  require(shape.ranks >= 1 && rank >= 0 && rank < shape.ranks, "rank ", rank, " of ", shape.ranks);
  require(options_.chunks >= 1, "a slab needs at least one chunk, not ", options_.chunks);
  const device::DeviceScope scope(device);
  const std::int64_t most = std::max<std::int64_t>(1, shape.x_count(0));
  options_.chunks = static_cast<int>(std::min<std::int64_t>(options_.chunks, most));
  plan_fused();
  prefer_rows();
  compile_passes_ahead();
  plan_cufft();
  prepare();
  make_handles(event_use);
}

namespace {

/// Whether some rows of the spectrum do not begin on a multiple of 16 bytes.
bool has_odd_rows(const SlabShape& shape) {
  return !device::lines::begins_with_units(shape.spectrum_pitch(), shape.transform.precision);
}

/// Whether a row kernel can have the z lines, where planes are not one pass.
bool may_take_rows(const SlabShape& shape, const SlabFusion& fusion) {
  return fusion.y && !fusion.planes && device::lines::rows_supported(shape.ny, shape.nz);
}

}  // namespace

SlabFusion fusion_of(const SlabShape& shape, const SlabOptions& options) {
  const std::int64_t unit = device::lines::unit(shape.transform.precision), pitch = shape.pitch();
  // x lines take a rank's rows for one row.
  const bool own = options.fused && device::lines::countable(shape.x_count(0), pitch) &&
                   device::lines::countable(1, shape.y_count(0) * pitch);
  const bool fits = shape.ranks <= device::lines::max_owners && own;
  const auto supported = [&](std::int64_t n) {
    return device::lines::worthwhile(n, shape.nx * shape.ny * shape.nzc()) &&
           device::lines::faster(n, pitch, shape.transform.precision);
  };
  const auto owned = [&](std::int64_t n) { return supported(n) && n >= 2 * shape.ranks; };
  SlabFusion fusion;
  fusion.y = fits && supported(shape.ny) && pitch % unit == 0;
  const bool owners = fusion.y && owned(shape.ny) && owned(shape.nx);
  fusion.direct = owners;
  fusion.planes = fusion.y && device::lines::planes_worthwhile(shape.ny, shape.nz, shape.transform.precision,
                                                               shape.real(), shape.nx * shape.ny * shape.nzc());
  const int nx = static_cast<int>(shape.nx), ny = static_cast<int>(shape.ny), nz = static_cast<int>(shape.nz);
  const bool odd = has_odd_rows(shape) && device::lines::takes_odd_rows(nx);
  if (fusion.planes && fusion.direct) {
    device::lines::Side side;
    shape.share(side, shape.ny);
    // The answer is that of kernels that are compiled for it, beside which the others may be.
    const Precision precision = shape.transform.precision;
    device::lines::compile_ahead({ny, nz, precision, shape.real(), options.checks});
    device::lines::compile_ahead({nx, precision, odd, options.checks});
    if (shape.ranks > 1 && options.parts.size() > 1)
      device::lines::compile_ahead({ny, precision, false, options.checks});
    // Copies of what planes cannot write into place cost less than the library's pass for z lines.
    if (!device::lines::planes_shareable({ny, nz, precision, shape.real(), options.checks}, side))
      fusion.direct = false;
  }
  fusion.rows = options.checks && may_take_rows(shape, fusion);
  fusion.two_way = shape.real() || pitch != shape.nz;
  // Every rank must decide alike: the smallest and largest shares of rows are looked at, not the own one.
  const auto whole_units = [&](int r) { return shape.y_count(r) * pitch % unit == 0; };
  fusion.x = fusion.direct || (own && supported(shape.nx) && whole_units(0) && whole_units(shape.ranks - 1));
  fusion.direct_back = owners && fusion.x;
  fusion.copied = fusion.x && shape.spectrum_pitch() != pitch && has_odd_rows(shape) && !odd;
  fusion.checked = fusion.z() && fusion.x && device::lines::planes_checkable(ny, nz) && device::lines::checkable(ny) &&
                   device::lines::checkable(nx);
  return fusion;
}

void SlabRank::plan_fused() {
  fusion_ = fusion_of(shape_, options_);
  const bool even = shape_.nx % shape_.ranks == 0 && shape_.ny % shape_.ranks == 0;
  require(!options_.stores || (fusion_.direct && even),
          "only line passes over equal shares can store into peers' memory");
  require(!shape_.dense_spectrum || fusion_.x, "padding can only be left away by line passes");
  require(!shape_.woven || (fusion_.planes && fusion_.x && !fusion_.copied),
          "only passes of our own take woven planes");
  require(!options_.checks || fusion_.checked, "only passes of our own check themselves");
  require(!options_.in_place || (shape_.planes_like_field() && !options_.stores),
          "only planes that lie like the field, and copies, can run in place");
  plan_parts();
}

/// The library's transform of z lines crosses memory more than once where it needs a work area; a kernel of our own
/// crosses it once.
void SlabRank::prefer_rows() {
  // Its kernels are compiled when they are first needed, which takes seconds: for large arrays only.
  const bool large = shape_.nx * shape_.ny * shape_.nzc() >= gpu_defaults().elements_worth_passes;
  if (fusion_.rows || !large || !may_take_rows(shape_, fusion_)) return;
  const auto specs = plane_specs();
  fusion_.rows = std::any_of(specs.begin(), specs.end(),
                             [](const auto& s) { return device::VendorFft::work_bytes_of(s.second) > 0; });
}

void SlabRank::prepare() {
  if (options_.checks)
    prepare_checks();
  else
    prepare_passes();
  if (counter_bytes() > 0) plane_counters_ = device::make_memory(counter_bytes());
}

void SlabRank::plan_parts() {
  const std::int64_t granule = device::lines::granule(shape_.transform.precision), pitch = shape_.pitch();
  part_begin_ = {0};
  double share = 0;
  for (std::size_t p = 0; p + 1 < options_.parts.size() && fusion_.direct && shape_.ranks > 1; ++p) {
    share += options_.parts[p];
    const std::int64_t step = std::max(granule, pitch / 16 / granule * granule);  // round columns: aligned, in step
    const std::int64_t end = std::llround(share * static_cast<double>(pitch) / static_cast<double>(step)) * step;
    if (end > part_begin_.back() && end < pitch) part_begin_.push_back(end);
  }
  part_begin_.push_back(pitch);
}

/// Where all rows are taken for one (flatten), only the points of a line need be whole units apart.
bool SlabRank::has_odd_x_rows() const {
  if (fusion_.copied || !has_odd_rows(shape_)) return false;
  const bool one_row = parts() == 1 && !shape_.woven && shape_.spectrum_pitch() == shape_.pitch();
  return !one_row ||
         !device::lines::begins_with_units(shape_.y_count(rank_) * shape_.pitch(), shape_.transform.precision);
}

void SlabRank::compile_passes_ahead() const {
  const int nx = static_cast<int>(shape_.nx), ny = static_cast<int>(shape_.ny), nz = static_cast<int>(shape_.nz);
  const Precision precision = shape_.transform.precision;
  const bool checks = options_.checks;
  if (fusion_.z()) device::lines::compile_ahead({ny, nz, precision, shape_.real(), checks});
  if (has_y_passes()) device::lines::compile_ahead({ny, precision, false, checks});
  if (fusion_.x) device::lines::compile_ahead({nx, precision, has_odd_x_rows(), checks});
}

void SlabRank::prepare_passes() {
  if (has_y_passes()) device::lines::prepare(static_cast<int>(shape_.ny), shape_.transform.precision);
  if (fusion_.x) device::lines::prepare(static_cast<int>(shape_.nx), shape_.transform.precision, has_odd_x_rows());
  if (fusion_.z())
    device::lines::prepare_planes(static_cast<int>(shape_.ny), static_cast<int>(shape_.nz), shape_.transform.precision,
                                  shape_.real());
}

/// As prepare_passes(), and the weights. The x lines have the factor.
void SlabRank::prepare_checks() {
  const int nx = static_cast<int>(shape_.nx), ny = static_cast<int>(shape_.ny), nz = static_cast<int>(shape_.nz);
  const Precision precision = shape_.transform.precision;
  device::lines::prepare_checked(nx, precision, has_odd_x_rows());
  device::lines::prepare_checked_planes(ny, nz, precision, shape_.real());
  if (has_y_passes()) device::lines::prepare_checked(ny, precision);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const double scale = direction == Direction::forward ? options_.forward_scale : options_.backward_scale;
    SlabWeights& made = weights_[static_cast<std::size_t>(direction)];
    made.planes = PlaneWeights(ny, nz, shape_.real(), precision, direction, 1);
    made.x = LineWeights(Kind::c2c, nx, precision, scale);
    if (has_y_passes()) made.y = LineWeights(Kind::c2c, ny, precision, 1);
  }
}

std::size_t SlabRank::counter_bytes() const {
  return fusion_.z() ? device::lines::plane_counters(shape_.x_count(rank_)) * sizeof(std::uint32_t) : 0;
}

std::size_t SlabRank::rows_back_bytes() const {
  if (!packs()) return shape_.rows_bytes(rank_);
  return shape_.complex_bytes() *
         static_cast<std::size_t>((shape_.ranks - 1) * shape_.x_count(0) * shape_.y_count(rank_) * shape_.pitch());
}

std::size_t SlabRank::later_parts_bytes() const {
  const std::int64_t columns = part(parts() - 1).end - part(0).end;
  return shape_.complex_bytes() *
         static_cast<std::size_t>((shape_.ranks - 1) * shape_.x_count(rank_) * shape_.y_count(0) * columns);
}

std::size_t SlabRank::library_bytes() const {
  std::size_t sum = x_plan_.work_bytes();
  for (const auto& [planes, plan] : plane_plans_) sum += plan.work_bytes();
  return sum;
}

/// The transforms of z lines or planes that are needed, by the number of planes, as plane_plans_.
std::map<std::int64_t, device::VendorFftSpec> SlabRank::plane_specs() const {
  const std::int64_t pitch = shape_.pitch();
  const device::VendorFftSide field = fusion_.y
                                          ? device::VendorFftSide{{shape_.nz}, 1, shape_.nz}
                                          : device::VendorFftSide{{shape_.ny, shape_.nz}, 1, shape_.ny * shape_.nz};
  const device::VendorFftSide planes = fusion_.y ? device::VendorFftSide{{pitch}, 1, pitch}
                                                 : device::VendorFftSide{{shape_.ny, pitch}, 1, shape_.ny * pitch};
  std::map<std::int64_t, device::VendorFftSpec> specs;
  for (int c = 0; c < options_.chunks; ++c) {
    const std::int64_t count = chunk(rank_, 0, c).count();
    if (count == 0 || specs.contains(count)) continue;
    device::VendorFftSpec spec;
    spec.kind = shape_.transform.kind;
    spec.precision = shape_.transform.precision;
    spec.extents = fusion_.y ? std::vector<std::int64_t>{shape_.nz} : std::vector<std::int64_t>{shape_.ny, shape_.nz};
    spec.batch = fusion_.y ? count * shape_.ny : count;
    spec.in = field;
    spec.out = planes;
    specs.emplace(count, spec);
    if (fusion_.two_way) {  // the way back of the same planes
      std::swap(spec.in, spec.out);
      if (shape_.real()) spec.kind = Kind::c2r;
      specs.emplace(-count, spec);
    }
  }
  return specs;
}

void SlabRank::plan_cufft() {
  if (!fusion_.z())  // plane passes do without cuFFT
    for (const auto& [planes, spec] : plane_specs()) plane_plans_.emplace(planes, device::VendorFft(spec));
  if (fusion_.x) return;
  const std::int64_t columns = shape_.y_count(rank_) * shape_.pitch();
  device::VendorFftSpec spec;
  spec.precision = shape_.transform.precision;
  spec.extents = {shape_.nx};
  spec.batch = columns;
  spec.in = spec.out = device::VendorFftSide{{shape_.nx}, columns, 1};
  x_plan_ = device::VendorFft(spec);
}

void SlabRank::make_handles(device::EventUse use) {
  for (int p = 0; p < (options_.in_place ? parts() : 1); ++p) ready_.push_back(device::make_event(use));
  computed_ = device::make_event();
  for (int i = 0; i < turns() * shape_.ranks; ++i) sent_.push_back(device::make_event(use));
  for (device::Stream& stream : copy_) stream = device::make_stream();
}

device::EventHandle SlabRank::sent(int part, int chunk, int to) const {
  return sent_[event_index(part, chunk) * static_cast<std::size_t>(shape_.ranks) + static_cast<std::size_t>(to)].get();
}

SlabRank::Range SlabRank::chunk(int rank, int p, int c) const {
  const std::int64_t count = shape_.x_count(rank), runs = chunks(p);
  // The links wait for the first run, and nothing hides the lines of the same run on the way back: half as long.
  const bool half_first = shape_.ranks > 2 && shape_.x_count(0) >= 2 * runs - 1;
  // cuFFT wants arrays of reals aligned to complex numbers, too: runs of planes with an odd number of points are even.
  const bool odd = shape_.transform.kind == Kind::r2c && shape_.ny * shape_.nz % 2 != 0;
  const auto begin = [&](int index) {
    const std::int64_t plane =
        half_first ? run_begin(count, 2 * runs - 1, std::max(0, 2 * index - 1)) : run_begin(count, runs, index);
    return odd && plane < count ? plane - plane % 2 : plane;
  };
  return {begin(c), begin(c + 1)};
}

}  // namespace shardfft::gpu
