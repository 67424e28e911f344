// SIMD batches of lines: as many transforms at once as a vector of the processor has numbers. Real parts and
// imaginary parts are in separate vectors, so that only reading and writing reorder numbers within a vector. A real
// line of even length is a complex one of half as many points. Lengths with large primes are convolutions.
#include "local/lanes.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "local/backend.hpp"
#include "local/lanes_tables.hpp"
#include "local/loops.hpp"
#include "local/processor_rule.hpp"

namespace shardfft {
namespace {

/// Scratch of longer lines no longer fits into a core's own cache.
constexpr std::int64_t most_scratch_bytes = 512 * 1024;

constexpr std::int64_t most_points = std::int64_t{1} << 28;

/// Points of a line: pairs of numbers, or the numbers of a real line of odd length.
std::int64_t length_of(Kind kind, std::int64_t n) { return kind == Kind::c2c || n % 2 != 0 ? n : n / 2; }
bool is_odd(Kind kind, std::int64_t n) { return kind != Kind::c2c && n % 2 != 0; }

/// For lines of n numbers or points.
std::int64_t scratch_bytes_of(Kind kind, std::int64_t n, const lanes::Kernels& kernels) {
  return lanes::scratch_points_of(length_of(kind, n), kernels.registers, is_odd(kind, n)) * 2 * kernels.vector_bytes;
}

lanes::Ends ends_of(Kind kind) {
  return kind == Kind::r2c ? lanes::Ends::real_in : kind == Kind::c2r ? lanes::Ends::real_out : lanes::Ends::complex;
}

template <class Real>
class LanesFft : public LocalFft {
 public:
  LanesFft(const FftSpec& spec, const Loop& line, lanes::LineKernel<Real> run, const lanes::Kernels& kernels)
      : run_(run), tables_(length_of(spec.kind, line.count), kernels.registers, is_odd(spec.kind, line.count)) {
    Loops batch = spec.batch;
    std::stable_sort(batch.begin(), batch.end(), [](const Loop& a, const Loop& b) { return a.from < b.from; });
    batch.resize(2);
    plan_.ends = ends_of(spec.kind);
    const std::int64_t n = length_of(spec.kind, line.count);
    plan_.n = n;
    plan_.numbers = line.count;
    plan_.lines = points(batch);
    plan_.row = batch[0].count;
    plan_.in = {line.from, batch[0].from, batch[1].from};
    plan_.out = {line.to, batch[0].to, batch[1].to};
    plan_.scale = static_cast<Real>(spec.scale);
    if (n < line.count) {
      // A point of r2c is half of a sum, so its factors have half the scale.
      factors_ = lanes::half_roots<Real>(line.count, spec.kind == Kind::r2c ? spec.scale / 2 : 1);
      plan_.factors = factors_.data();
    }
    plan_.passes = tables_.passes();
    plan_.convolution = tables_.convolution();
    take_places(tables_.places(), is_odd(spec.kind, line.count) ? Direction::forward : spec.direction);
    scratch_bytes_ = round_up(static_cast<std::size_t>(scratch_bytes_of(spec.kind, line.count, kernels)), cache_line);
  }
  LanesFft(const LanesFft&) = delete;
  LanesFft& operator=(const LanesFft&) = delete;

  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    run_(plan_, static_cast<const Real*>(in), static_cast<Real*>(out), scratch, ahead);
  }

 private:
  /// The results of a backward transform are those of a forward one in reverse order. Half a spectrum of a real line of
  /// even length has one more point, behind the others.
  void take_places(const std::vector<std::int32_t>& places, Direction direction) {
    const std::size_t n = places.size();
    place_.assign(n + 1, static_cast<std::int32_t>(n));
    for (std::size_t k = 0; k < n; ++k) place_[direction == Direction::forward || k == 0 ? k : n - k] = places[k];
    plan_.place = place_.data();
    if (plan_.convolution != nullptr) return;
    index_.resize(n);
    for (std::size_t k = 0; k < n; ++k)
      if (place_[k] >= 0) index_[static_cast<std::size_t>(place_[k])] = static_cast<std::int32_t>(k);
    plan_.index = index_.data();
  }

  lanes::LineKernel<Real> run_;
  lanes::Plan<Real> plan_;
  lanes::LineTables<Real> tables_;
  std::vector<std::int32_t> place_, index_;
  std::vector<Real> factors_;
  std::size_t scratch_bytes_ = 0;
};

/// Whether the batch has a line for each lane.
bool fills(const FftSpec& spec, const lanes::Kernels& kernels) {
  const auto number = static_cast<std::int64_t>(ElementType{spec.precision, false}.bytes());
  return points(spec.batch) * number >= kernels.vector_bytes;
}

/// Whether the scratch of its lines stays in a core's own cache.
bool fits(const FftSpec& spec, const lanes::Kernels& kernels) {
  return std::all_of(spec.transform.begin(), spec.transform.end(), [&](const Loop& d) {
    return length_of(spec.kind, d.count) <= most_scratch_bytes / kernels.vector_bytes &&
           scratch_bytes_of(spec.kind, d.count, kernels) <= most_scratch_bytes;
  });
}

/// Builds without FFTW have no other library for lines that do not fill a SIMD batch.
bool is_last() { return fallback_backend().name == "lanes"; }

/// Whether 32-bit numbers can count the places in scratch.
bool can_count(const FftSpec& spec) {
  return std::all_of(spec.transform.begin(), spec.transform.end(),
                     [](const Loop& d) { return d.count <= most_points; });
}

/// Lines that fill SIMD batches, and all others if no other library makes them, or none as exactly.
bool takes(const FftSpec& spec) {
  if (is_last()) return true;
  if (!is_exact(fallback_backend(), spec)) return can_count(spec);
  const lanes::Kernels& longest = lanes::all_kernels().front();
  return fills(spec, longest) && fits(spec, longest);
}

/// Uses the longest vectors that the lines fill; shorter ones also need less scratch.
std::unique_ptr<LocalFft> make_here(const FftSpec& spec) {
  if (!can_count(spec))
    fail(Status::unsupported, "lanes: a line of ", spec.transform.front().count, " points, expected at most ",
         most_points, "; FFTW and oneMKL transform longer ones");
  for (const lanes::Kernels& kernels : lanes::all_kernels())
    if (fills(spec, kernels) && fits(spec, kernels)) return make_lanes(spec, kernels);
  return make_lanes(spec, lanes::all_kernels().back());
}

}  // namespace

std::unique_ptr<LocalFft> make_lanes(const FftSpec& spec, const lanes::Kernels& kernels) {
  if (spec.precision == Precision::f64)
    return std::make_unique<LanesFft<double>>(spec, spec.transform.front(), kernels.f64, kernels);
  return std::make_unique<LanesFft<float>>(spec, spec.transform.front(), kernels.f32, kernels);
}

Backend lanes_backend() {
  Backend backend;
  backend.name = "lanes";
  backend.version = [] {
    const std::string bits = "lanes in " + std::to_string(lanes::all_kernels().front().vector_bytes * 8) + " bits";
    return is_last() ? bits : bits + "; others by " + fallback_backend().version();
  };
  backend.make = make_here;
  backend.takes = takes;
  backend.scales = true;
  backend.real_first = fastest_for_real(lanes::all_kernels().front().vector_bytes);
  backend.max_axes = 1;
  backend.max_loops = 2;
  return backend;
}

}  // namespace shardfft
