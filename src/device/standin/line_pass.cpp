// device/line_pass.hpp and plane_pass.hpp without a GPU: bundle by bundle, in any order. The demands of the real
// kernels are checked.
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "base/check.hpp"
#include "base/environment.hpp"
#include "device/pass_kernels.hpp"
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

/// Whether the bundles of a row begin at multiples of a bundle in memory.
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

void add_accesses(const LineFactors& factors, const Pass& pass, std::vector<Access>& touched) {
  const auto number = sizeof(std::complex<double>);
  const auto add = [&](const void* memory, std::int64_t numbers, std::size_t bytes) {
    if (memory != nullptr) touched.push_back({memory, static_cast<std::size_t>(numbers) * bytes});
  };
  for (const LineFactors::Sum* sum : {&factors.above, &factors.below}) {
    for (const LineFactors::OfLine* one : {&sum->first, &sum->second})
      add(one->lines, pass.outer_end * factors.columns, number);
    add(sum->along, pass.n, number);
  }
  add(factors.array, (pass.n - 1) * factors.line_stride + (pass.outer_end - 1) * factors.outer_stride + factors.columns,
      ElementType{pass.precision, factors.are == FactorsAre::numbers}.bytes());
}

std::complex<double> factor_of(const LineFactors::Sum& sum, bool real, std::int64_t line, int k) {
  using Number = std::complex<double>;
  const auto read = [real](const Number& number) { return real ? number.real() : number; };
  const auto of_line = [&](const LineFactors::OfLine& one) {
    return read(one.lines != nullptr ? static_cast<const Number*>(one.lines)[line]
                                     : Number(one.constant[0], one.constant[1]));
  };
  if (sum.along == nullptr) return of_line(sum.first);
  return of_line(sum.first) + of_line(sum.second) * read(static_cast<const Number*>(sum.along)[k]);
}

/// The factor of point k of line (outer, m).
template <class T>
std::complex<double> factor_of(const LineFactors& factors, std::int64_t outer, std::int64_t m, int k) {
  const std::int64_t place = outer * factors.outer_stride + k * factors.line_stride + m;
  if (factors.are == FactorsAre::reals) return static_cast<double>(static_cast<const T*>(factors.array)[place]);
  if (factors.are == FactorsAre::numbers)
    return std::complex<double>(static_cast<const std::complex<T>*>(factors.array)[place]);
  const std::int64_t line = outer * factors.columns + m;
  const std::complex<double> above = factor_of(factors.above, factors.real, line, k);
  if (factors.are == FactorsAre::sums) return above;
  const std::complex<double> below = factor_of(factors.below, factors.real, line, k);
  return below == 0.0 ? 0.0 : above / below;
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

/// The end of the columns of a row of bundles. Bundles that begin earlier also end earlier, except a row's last ones.
std::int64_t end_of(const Pass& pass, std::int64_t outer) {
  return pass.m_end >= pass.out.columns ? pass.out.columns : pass.m_end - skew(pass, outer);
}

/// Whether a pass has the first and the last axis of a transform.
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
    fail(Status::internal, "the place of a stored bundle is not aligned");
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
  for (int k = 0; pass.factors.are != FactorsAre::none && k < pass.n; ++k)
    for (std::int64_t i = before; i < written; ++i) {
      std::complex<T>& number = bundle[static_cast<std::size_t>(k * width + i)];
      number = std::complex<T>(std::complex<double>(number) * factor_of<T>(pass.factors, outer, m + i, k));
    }
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

FftSpec spec_of(Precision precision, Direction direction) {
  FftSpec spec;
  spec.precision = precision;
  spec.direction = direction;
  spec.effort = Effort::estimate;
  return spec;
}

/// The transform of one bundle, [point][line].
Fft bundle_fft(int n, Precision precision, Direction direction) {
  FftSpec spec = spec_of(precision, direction);
  spec.transform = {{n, granule(precision), granule(precision)}};
  spec.batch = {{granule(precision), 1, 1}};
  spec.in_place = true;
  return make_local_fft("fftw", spec);
}

/// The transform of one row of a plane.
Fft row_fft(int m, Precision precision, Direction direction, bool real) {
  FftSpec spec = spec_of(precision, direction);
  spec.transform = {{m, 1, 1}};
  if (real) spec.kind = direction == Direction::forward ? Kind::r2c : Kind::c2r;
  return make_local_fft("fftw", spec);
}

void refuse_in_capture() {
  if (standin::Scheduler::instance().capturing()) fail(Status::backend_failure, "kernels are made inside of a capture");
}

constexpr Direction directions[] = {Direction::forward, Direction::backward};
std::size_t index_of(Direction direction) { return direction == Direction::backward ? 1 : 0; }

}  // namespace

struct Prepared {
  Fft bundle[2];  ///< [backward]
};
struct PreparedPlanes {
  Prepared columns;
  Fft row[2];
};

/// As if libnvrtc were found.
bool can_compile() { return switch_in_environment("SHARDFFT_JIT", "compile kernels at run time").value_or(true); }

/// The first one, as if no kernel had a stack.
const PlaneCut& choose_cut(const std::vector<PlaneCut>& cuts, Precision /*precision*/, PlaneSkills /*skills*/) {
  return cuts.front();
}

void compile_ahead(const Recipe& /*recipe*/, Precision /*precision*/, KernelSkills /*skills*/) {}
void compile_ahead(const std::vector<PlaneCut>& /*cuts*/, Precision /*precision*/, PlaneSkills /*skills*/) {}

std::shared_ptr<const Prepared> make_prepared(const Recipe& recipe, Precision precision, KernelSkills /*skills*/) {
  refuse_in_capture();
  auto made = std::make_shared<Prepared>();
  for (const Direction direction : directions)
    made->bundle[index_of(direction)] = bundle_fft(recipe.line.n, precision, direction);
  return made;
}

std::shared_ptr<const PreparedPlanes> make_prepared(const PlaneCut& cut, Precision precision, PlaneSkills skills) {
  refuse_in_capture();
  auto made = std::make_shared<PreparedPlanes>();
  for (const Direction direction : directions) {
    made->columns.bundle[index_of(direction)] = bundle_fft(cut.columns.n, precision, direction);
    made->row[index_of(direction)] = row_fft(cut.rows.n, precision, direction, skills.real);
  }
  return made;
}

void launch(const Prepared& prepared, const Pass& pass, void* stream) {
  const Fft& fft = prepared.bundle[index_of(pass.direction)];
  check_input(pass);
  if (pass.outer_end <= pass.outer_begin || pass.m_end <= pass.m_begin) return;
  std::vector<Access> touched;
  add_accesses(pass.in, pass, touched);
  add_accesses(pass.out, pass, touched);
  add_accesses(pass.checks, pass, touched);
  add_accesses(pass.factors, pass, touched);
  const std::uint64_t seed = standin::first_seed() + static_cast<std::uint64_t>(pass.m_begin + pass.outer_begin);
  standin::enqueue_kernel(stream, "line pass", std::move(touched), [pass, fft, seed] {
    if (pass.precision == Precision::f64)
      run_all<double>(pass, *fft, seed);
    else
      run_all<float>(pass, *fft, seed);
  });
}

void launch(const PreparedPlanes& prepared, const PlanePass& pass, std::uint32_t* counters, void* stream) {
  const Pass& columns = pass.columns;
  const std::int64_t planes = columns.outer_end - columns.outer_begin;
  const PlaneRows rows{pass, prepared.row[index_of(columns.direction)]};
  const Fft& fft = prepared.columns.bundle[index_of(columns.direction)];
  check_input(columns);
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
    rows.spoil();
  });
}

}  // namespace shardfft::device::lines
