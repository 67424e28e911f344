// Lines in the lanes of the processor's vectors: as many transforms at once as a vector has numbers. Real parts and
// imaginary parts are in vectors of their own, so that nothing but reading and writing turns numbers around.
#include "local/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <numbers>

#include "base/aligned.hpp"
#include "local/backend.hpp"
#include "local/loops.hpp"
#include "local/work_memory.hpp"

namespace shardfft {
namespace {

/// Scratch of longer lines is no part of a core's own cache any more.
constexpr std::int64_t most_scratch_bytes = 512 * 1024;

/// The radices of passes, the preferred ones first. Each is one function a kind of pass, so there are not many.
constexpr int radices[] = {16, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2};

/// What passes cost: each reads and writes all points; from 10 on one needs more vectors than processors have, and
/// among equals small ones are better.
double cost(const std::vector<int>& passes) {
  double sum = 0;
  for (const int radix : passes) sum += (radix > 10 ? 1.5 : 1) + 0.01 * radix;
  return sum;
}

/// The cheapest passes for n points, of radices from the given one on; none where there are no such, or n is 1.
std::vector<int> choose_passes(std::int64_t n, std::size_t from = 0) {
  std::vector<int> best;
  for (std::size_t i = from; i < std::size(radices); ++i) {
    if (n % radices[i] != 0) continue;
    std::vector<int> passes = choose_passes(n / radices[i], i);
    if (passes.empty() && n != radices[i]) continue;
    passes.push_back(radices[i]);
    if (best.empty() || cost(passes) < cost(best)) best = passes;
  }
  return best;
}

template <class Real>
class LanesFft : public LocalFft {
 public:
  LanesFft(const FftSpec& spec, lanes::Run<Real> run, int vector_bytes) : run_(run) {
    const FftDim line = spec.transform.front(), batch = spec.batch.empty() ? FftDim{} : spec.batch.front();
    plan_.n = line.n;
    plan_.lines = batch.n;
    plan_.in = {line.in_stride, batch.in_stride};
    plan_.out = {line.out_stride, batch.out_stride};
    plan_.scale = static_cast<Real>(spec.scale);
    make_passes();
    make_places(spec.direction == Direction::forward);
    scratch_bytes_ = round_up(static_cast<std::size_t>(line.n * 2 * vector_bytes), cache_line);
  }
  LanesFft(const LanesFft&) = delete;
  LanesFft& operator=(const LanesFft&) = delete;

  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  void execute(const void* in, void* out, std::byte* scratch) const override {
    run_(plan_, static_cast<const Real*>(in), static_cast<Real*>(out), scratch);
  }

 private:
  void make_passes() {
    std::int64_t length = plan_.n;
    for (const int radix : choose_passes(plan_.n)) {
      const std::int64_t m = length / radix;
      std::vector<Real>& twiddles = twiddles_.emplace_back();
      for (std::int64_t j = 0; m > 1 && j < m; ++j)
        for (int k = 1; k < radix; ++k) {
          const auto angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k) / length;
          twiddles.push_back(static_cast<Real>(std::cos(angle)));
          twiddles.push_back(static_cast<Real>(-std::sin(angle)));
        }
      passes_.push_back({radix, m, plan_.n / length, twiddles.data()});
      length = m;
    }
    plan_.passes = passes_.data();
    plan_.pass_count = static_cast<int>(passes_.size());
  }

  /// Backward transforms are forward ones whose results are numbered the other way round.
  void make_places(bool forward) {
    place_.resize(static_cast<std::size_t>(plan_.n));
    index_.resize(place_.size());
    for (std::int64_t k = 0; k < plan_.n; ++k) {
      std::int64_t rest = k, place = 0;
      for (const lanes::Pass<Real>& pass : passes_) {
        place += rest % pass.radix * pass.m;
        rest /= pass.radix;
      }
      const std::int64_t index = forward || k == 0 ? k : plan_.n - k;
      place_[static_cast<std::size_t>(index)] = static_cast<std::int32_t>(place);
      index_[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(index);
    }
    plan_.place = place_.data();
    plan_.index = index_.data();
  }

  lanes::Run<Real> run_;
  lanes::Plan<Real> plan_;
  std::vector<lanes::Pass<Real>> passes_;
  std::deque<std::vector<Real>> twiddles_;
  std::vector<std::int32_t> place_, index_;
  std::size_t scratch_bytes_ = 0;
};

std::unique_ptr<LocalFft> make_here(const FftSpec& spec) { return make_lanes(spec, lanes::all_kernels().front()); }

/// Batches of complex lines of no prime factors above 7; one line is no work for lanes.
bool takes(const FftSpec& spec) {
  if (spec.kind != Kind::c2c) return false;
  const std::int64_t bytes = 2 * lanes::all_kernels().front().vector_bytes;  // of one point of all lanes
  if (points(spec.batch) * static_cast<std::int64_t>(input_element(spec).bytes()) < bytes) return false;
  return std::all_of(spec.transform.begin(), spec.transform.end(),
                     [&](const FftDim& d) { return d.n * bytes <= most_scratch_bytes && !has_prime_above(d.n, 7); });
}

}  // namespace

std::unique_ptr<LocalFft> make_lanes(const FftSpec& spec, const lanes::Kernels& kernels) {
  if (spec.precision == Precision::f64)
    return std::make_unique<LanesFft<double>>(spec, kernels.f64, kernels.vector_bytes);
  return std::make_unique<LanesFft<float>>(spec, kernels.f32, kernels.vector_bytes);
}

Backend lanes_backend() {
  Backend backend;
  backend.name = "lanes";
  backend.version = "lanes in " + std::to_string(lanes::all_kernels().front().vector_bytes * 8) + " bits; others by " +
                    fftw_backend().version;
  backend.make = make_here;
  backend.takes = takes;
  backend.scales = true;
  backend.max_axes = 1;
  backend.max_loops = 1;
  return backend;
}

}  // namespace shardfft
