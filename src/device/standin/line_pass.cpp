// device/line_pass.hpp and plane_pass.hpp without a GPU: bundle by bundle, in any order, with what the real kernels
// demand checked.
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "base/check.hpp"
#include "base/environment.hpp"
#include "device/line_recipe.hpp"
#include "device/plane_pass.hpp"
#include "device/plane_recipe.hpp"
#include "device/standin/held_lines.hpp"
#include "device/standin/kernel.hpp"
#include "device/standin/plane_rows.hpp"
#include "device/standin/scheduler.hpp"
#include "device/standin/settings.hpp"
#include "local/local_fft.hpp"

namespace shardfft::device::lines {
namespace {

using standin::Access;
using Fft = std::shared_ptr<const LocalFft>;

/// As if libnvrtc were there.
bool can_compile() { return switch_in_environment("SHARDFFT_JIT", "compile kernels at run time").value_or(true); }

/// Null where there is none.
const Recipe* recipe_for(int n, bool odd = false) {
  const DeviceFacts& facts = current_facts();
  const bool compiles = can_compile();
  static std::mutex mutex;
  static std::map<std::tuple<int, bool, bool, bool, std::size_t, std::size_t>, std::optional<Recipe>> found;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, first] =
      found.try_emplace({n, odd, compiles, facts.bulk_copies, facts.shared_bytes_a_block, facts.shared_bytes});
  if (first) at->second = lines::recipe_for(n, hardware_of(facts), compiles, odd);
  return at->second ? &*at->second : nullptr;
}

/// Null where there is none: the best one, as if no kernel had a stack.
const PlaneCut* plane_cut_for(std::int64_t n, std::int64_t m) {
  const DeviceFacts& facts = current_facts();
  const bool compiles = can_compile();
  static std::mutex mutex;
  static std::map<std::tuple<std::int64_t, std::int64_t, bool, bool, std::size_t, std::size_t>, std::vector<PlaneCut>>
      found;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, first] =
      found.try_emplace({n, m, compiles, facts.bulk_copies, facts.shared_bytes_a_block, facts.shared_bytes});
  if (first) at->second = plane_cuts_for(static_cast<int>(n), static_cast<int>(m), hardware_of(facts), compiles);
  return at->second.empty() ? nullptr : &at->second.front();
}

/// Transforms of one bundle, [point][line], and of one row of a plane, by size, precision and direction; and the
/// devices that were prepared.
class Bundles {
 public:
  void prepare(int n, Precision precision, bool odd_rows, int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    prepared_.insert({device, n, precision, false});
    if (odd_rows) prepared_.insert({device, n, precision, true});
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      FftSpec spec = spec_of(precision, direction);
      spec.transform = {{n, granule(precision), granule(precision)}};
      spec.batch = {{granule(precision), 1, 1}};
      spec.in_place = true;
      Fft& fft = ffts_[{n, precision, direction}];
      if (!fft) fft = make_local_fft("fftw", spec);
    }
  }
  void prepare_planes(int n, int m, Precision precision, bool real, int device) {
    prepare(n, precision, false, device);
    const std::lock_guard<std::mutex> lock(mutex_);
    prepared_planes_.insert({device, n, m, precision, real});
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      FftSpec spec = spec_of(precision, direction);
      spec.transform = {{m, 1, 1}};
      if (real) spec.kind = direction == Direction::forward ? Kind::r2c : Kind::c2r;
      Fft& row = rows_[{m, precision, direction, real}];
      if (!row) row = make_local_fft("fftw", spec);
    }
  }
  Fft row(const PlanePass& pass, int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Pass& columns = pass.columns;
    if (!prepared_planes_.contains({device, columns.n, pass.m, columns.precision, pass.real}))
      fail(Status::internal, "lines::prepare_planes(", columns.n, ", ", pass.m, ") was not called on device ", device);
    return rows_.at({pass.m, columns.precision, columns.direction, pass.real});
  }
  Fft get(const Pass& pass, int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!prepared_.contains({device, pass.n, pass.precision, is_odd(pass)}))
      fail(Status::internal, "lines::prepare(", pass.n, ") was not called for such rows on device ", device);
    return ffts_.at({pass.n, pass.precision, pass.direction});
  }

 private:
  static FftSpec spec_of(Precision precision, Direction direction) {
    FftSpec spec;
    spec.precision = precision;
    spec.direction = direction;
    spec.effort = Effort::estimate;
    return spec;
  }

  std::mutex mutex_;
  std::set<std::tuple<int, int, Precision, bool>> prepared_;  ///< and for odd rows
  std::set<std::tuple<int, int, int, Precision, bool>> prepared_planes_;
  std::map<std::tuple<int, Precision, Direction>, Fft> ffts_;
  std::map<std::tuple<int, Precision, Direction, bool>, Fft> rows_;
};

Bundles& bundles() {
  static Bundles& all = *new Bundles;
  return all;
}

std::size_t element_bytes(const Pass& pass) { return ElementType{pass.precision, true}.bytes(); }

/// Boxes of bulk copies begin at multiples of 128 bytes in shared memory.
void check_input(const Pass& pass) {
  const int step = recipe_for(pass.n, is_odd(pass))->tile(is_odd(pass)).step(), count = owners(pass.in, pass.n);
  for (int q = 1; q < count; ++q)
    require(owner_begin(pass.in, pass.n, q) % step == 0 && pass.n % step == 0, "blocks of ", pass.in.block,
            " points an owner are no boxes of bulk tensor copies");
  if (std::min(pass.m_end, pass.in.columns) <= 0 || pass.outer_end <= 0)
    fail(Status::backend_failure, "a line pass over nothing: the real one cannot describe such arrays");
}

/// Whether the bundles of a row begin where those of the memory do.
bool skews(const Pass& pass) {
  return pass.align_stores && pass.out.block >= pass.n && pass.out.part[0].line_stride % granule(pass.precision) == 0;
}
/// Columns by which the bundles of a row begin before m_begin.
std::int64_t skew(const Pass& pass, std::int64_t outer) {
  const std::int64_t columns = outer * pass.out.part[0].outer_stride;
  if (skews(pass)) return columns % granule(pass.precision);
  return has_odd_rows(pass.out, pass.precision) ? columns % 2 : 0;
}

void add_accesses(const Side& side, const Pass& pass, std::vector<Access>& touched) {
  const std::int64_t m_end = std::min(pass.m_end, side.columns);
  if (m_end <= pass.m_begin) return;
  for (int q = 0; q < owners(side, pass.n); ++q) {
    const Part& part = side.part[static_cast<std::size_t>(q)];
    const int points = owner_begin(side, pass.n, q + 1) - owner_begin(side, pass.n, q);
    const std::int64_t first = pass.outer_begin * part.outer_stride + pass.m_begin;
    const std::int64_t end = (pass.outer_end - 1) * part.outer_stride + (points - 1) * part.line_stride + m_end;
    touched.push_back({static_cast<std::byte*>(part.base) + static_cast<std::size_t>(first) * element_bytes(pass),
                       static_cast<std::size_t>(end - first) * element_bytes(pass)});
  }
}

void add_accesses(const PassChecks& checks, const Pass& pass, std::vector<Access>& touched) {
  if (checks.results == nullptr) return;
  touched.push_back({checks.weights, static_cast<std::size_t>(pass.n) * (element_bytes(pass) + result_weight_bytes)});
  touched.push_back({checks.results, pass_results * sizeof *checks.results});
}

/// First number of a bundle's point k.
template <class T>
std::complex<T>* point(const Side& side, int n, int k, std::int64_t outer, std::int64_t m) {
  int q = 0;
  while (k >= owner_begin(side, n, q + 1)) ++q;
  const Part& part = side.part[static_cast<std::size_t>(q)];
  return static_cast<std::complex<T>*>(part.base) + (k - owner_begin(side, n, q)) * part.line_stride +
         outer * part.outer_stride + m;
}

/// Columns of a row of bundles end here. Bundles that begin earlier end earlier, too, but for a row's last ones.
std::int64_t end_of(const Pass& pass, std::int64_t outer) {
  return pass.m_end >= pass.out.columns ? pass.out.columns : pass.m_end - skew(pass, outer);
}

/// Which axes of a transform a pass has.
struct PlaceAmongAxes {
  bool first = true, last = true;
};

template <class T>
void run_bundle(const Pass& pass, const LocalFft& fft, std::int64_t outer, std::int64_t m,
                std::vector<std::complex<T>>& bundle, PlaceAmongAxes axes) {
  const std::int64_t width = granule(pass.precision), before = std::max<std::int64_t>(-m, 0);
  const std::int64_t read = std::clamp<std::int64_t>(std::min(pass.in.columns, pass.m_end) - m, before, width);
  const std::int64_t written = std::clamp<std::int64_t>(end_of(pass, outer) - m, before, width);
  const std::int64_t begin = outer * pass.out.part[0].outer_stride + m;
  if (begin % (skews(pass) ? width : unit(pass.precision)) != 0)
    fail(Status::internal, "a bundle is not aligned where it is stored");
  std::fill(bundle.begin(), bundle.end(), std::complex<T>(std::numeric_limits<T>::quiet_NaN()));
  for (int k = 0; k < pass.n; ++k)
    std::copy_n(point<T>(pass.in, pass.n, k, outer, m + before), read - before, bundle.data() + k * width + before);
  const HeldLines<T> held{bundle, width, before, written};
  HeldSums<T> sums(pass.checks, pass.n, pass.direction == Direction::backward, axes.first, axes.last);
  sums.input(held);
  fft.execute(bundle.data(), bundle.data());
  if (pass.scale != 1)
    for (std::complex<T>& value : bundle) value *= static_cast<T>(pass.scale);
  sums.output(held);
  for (int k = 0; k < pass.n; ++k)
    std::copy_n(bundle.data() + k * width + before, written - before, point<T>(pass.out, pass.n, k, outer, m + before));
}

template <class T>
void run_all(const Pass& pass, const LocalFft& fft, std::uint64_t seed, PlaceAmongAxes axes = {}) {
  const std::int64_t width = granule(pass.precision);
  std::vector<std::pair<std::int64_t, std::int64_t>> order;  // outer, m
  for (std::int64_t outer = pass.outer_begin; outer < pass.outer_end; ++outer)
    for (std::int64_t m = pass.m_begin - skew(pass, outer); m < end_of(pass, outer); m += width)
      order.emplace_back(outer, m);
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::complex<T>> bundle(static_cast<std::size_t>(pass.n * width));
  for (const auto& [outer, m] : order) run_bundle<T>(pass, fft, outer, m, bundle, axes);
}

}  // namespace

bool supported(int n) { return recipe_for(n) != nullptr; }

bool takes_odd_rows(int n) { return recipe_for(n, true) != nullptr; }

bool reads_from(int n, const Side& side) {
  const Recipe* recipe = recipe_for(n);
  return recipe != nullptr && reads_from(recipe->tile(), side);
}

void prepare(int n, Precision precision, bool odd_rows) {
  require_kernel(n, precision, odd_rows);
  if (standin::Scheduler::instance().capturing()) fail(Status::backend_failure, "lines::prepare() inside of a capture");
  bundles().prepare(n, precision, odd_rows, current_device());
}

bool checkable(int n) { return can_compile() && supported(n); }

void prepare_checked(int n, Precision precision, bool odd_rows) { prepare(n, precision, odd_rows); }

void run(const Pass& pass, void* stream) {
  require(supported(pass.n), "no line kernel for ", pass.n, " points");
  require_pass(pass);
  const Fft fft = bundles().get(pass, current_device());
  check_input(pass);
  if (pass.outer_end <= pass.outer_begin || pass.m_end <= pass.m_begin) return;
  std::vector<Access> touched;
  add_accesses(pass.in, pass, touched);
  add_accesses(pass.out, pass, touched);
  add_accesses(pass.checks, pass, touched);
  const std::uint64_t seed = standin::first_seed() + static_cast<std::uint64_t>(pass.m_begin + pass.outer_begin);
  standin::enqueue_kernel(stream, "line pass", std::move(touched), [pass, fft, seed] {
    if (pass.precision == Precision::f64)
      run_all<double>(pass, *fft, seed);
    else
      run_all<float>(pass, *fft, seed);
  });
}

bool rows_supported(std::int64_t n, std::int64_t m) { return may_be_plane(n, m) && plane_cut_for(n, m) != nullptr; }

bool planes_supported(std::int64_t n, std::int64_t m, Precision precision, bool real) {
  return fits_planes(n, m, precision, real, current_facts()) && rows_supported(n, m);
}

bool planes_checkable(int n, int m) { return can_compile() && plane_cut_for(n, m) != nullptr; }

void prepare_checked_planes(int n, int m, Precision precision, bool real) { prepare_planes(n, m, precision, real); }

bool planes_shareable(const PlaneKernel& kernel, const Side& side) {
  const PlaneCut* cut = plane_cut_for(kernel.n, kernel.m);
  return cut != nullptr && shares(cut->columns, side);
}

void prepare_planes(int n, int m, Precision precision, bool real) {
  require(plane_cut_for(n, m) != nullptr, "no plane kernel for ", n, " rows of ", m, " points");
  if (standin::Scheduler::instance().capturing())
    fail(Status::backend_failure, "lines::prepare_planes() inside of a capture");
  bundles().prepare_planes(n, m, precision, real, current_device());
}

void run(const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  require_planes(pass);
  const std::int64_t planes = columns.outer_end - columns.outer_begin;
  const PlaneRows rows{pass, bundles().row(pass, current_device())};
  const Fft fft = bundles().get(columns, current_device());
  check_input(columns);
  require(planes_shareable({columns.n, pass.m, columns.precision, pass.real, columns.checks.results != nullptr},
                           columns.out),
          "a plane pass cannot cut lines of ", columns.n, " points into blocks of ", columns.out.block,
          " points an owner");
  if (planes <= 0) return;
  std::vector<Access> touched;
  add_accesses(columns.in, columns, touched);
  add_accesses(columns.out, columns, touched);
  rows.add_to(touched);
  add_accesses(columns.checks, columns, touched);
  touched.push_back({counters, plane_counters(planes) * sizeof *counters});
  const std::uint64_t seed = standin::first_seed() + static_cast<std::uint64_t>(columns.m_begin + columns.outer_begin);
  standin::enqueue_kernel(stream, "plane pass", std::move(touched), [=] {
    const auto column_lines = [&] {
      if (columns.precision == Precision::f64)
        run_all<double>(columns, *fft, seed, {!rows.forward(), rows.forward()});
      else
        run_all<float>(columns, *fft, seed, {!rows.forward(), rows.forward()});
    };
    std::memset(counters, 0xff, plane_counters(planes) * sizeof *counters);
    if (!rows.forward()) column_lines();
    rows.run();
    if (rows.forward()) column_lines();
  });
}

}  // namespace shardfft::device::lines
