// Planes and lines with padded rows between them, in stages.
#include <algorithm>
#include <numeric>
#include <utility>

#include "device/plane_pass.hpp"
#include "gpu/pass/fft_plan.hpp"

namespace shardfft::gpu {

namespace {

class Padded {
 public:
  explicit Padded(const FftSpec& spec)
      : spec_(spec), forward_(spec.direction == Direction::forward), loops_(spec.transform) {
    loops_.insert(loops_.end(), spec.batch.begin(), spec.batch.end());
    std::vector<std::size_t> by_stride(loops_.size());
    std::iota(by_stride.begin(), by_stride.end(), std::size_t{0});
    std::stable_sort(by_stride.begin(), by_stride.end(),
                     [this](std::size_t a, std::size_t b) { return spectrum_stride(a) < spectrum_stride(b); });
    innermost_ = by_stride.front() == last;
    between_.assign(loops_.size(), 1);
    numbers_ = device::lines::whole_bundles(points(), spec.precision);
    for (const std::size_t i : by_stride) {
      if (i == last) continue;
      between_[i] = numbers_;
      numbers_ *= loops_[i].count;
    }
    if (spectrum_stride(slow) < spectrum_stride(fast)) std::swap(slow_, fast_);
  }

  StageList list() const {
    StageList list;
    if (!innermost_) return list;
    list.in_place = true;
    list.beside = ", padded between";
    list.scratch = static_cast<std::size_t>(numbers_) * ElementType{spec_.precision, true}.bytes();
    PassUse padded;
    padded.padded = true;
    padded.lines = LinesFor::trial;
    const BufferPlace in{PassBuffer::in}, between{PassBuffer::scratch}, out{PassBuffer::out};
    if (forward_) list.stages.push_back({planes_spec(), in, between, padded});
    list.stages.push_back({lines_spec(), forward_ ? between : in, forward_ ? out : between, padded});
    if (!forward_) list.stages.push_back({planes_spec(), between, out, padded});
    return list;
  }

 private:
  static constexpr std::size_t slow = 0, fast = 1, last = 2;  ///< if one is halved, it is the last

  std::int64_t points() const { return device::lines::spectrum_points(spec_.transform[last].count, is_halved(spec_)); }
  std::int64_t spectrum_stride(std::size_t i) const { return forward_ ? loops_[i].to : loops_[i].from; }

  /// A loop of the plane pass, between the user's field and padded rows; or of the line pass, between padded rows and
  /// the user's spectrum.
  Loop of_planes(std::size_t i) const { return with_padded(i, !forward_); }
  Loop of_lines(std::size_t i) const { return with_padded(i, forward_); }
  Loop with_padded(std::size_t i, bool in) const {
    Loop loop = loops_[i];
    (in ? loop.from : loop.to) = between_[i];
    return loop;
  }
  FftSpec planes_spec() const {
    FftSpec planes = stage(spec_.kind);
    planes.transform = {of_planes(fast_), of_planes(last)};
    planes.batch = {of_planes(slow_)};
    for (std::size_t i = last + 1; i < loops_.size(); ++i) planes.batch.push_back(of_planes(i));
    planes.preserve_input = false;
    return planes;
  }
  FftSpec lines_spec() const {
    FftSpec lines = stage(Kind::c2c);
    lines.transform = {of_lines(slow_)};
    lines.batch = {of_lines(fast_), of_lines(last)};
    lines.batch.back().count = points();
    for (std::size_t i = last + 1; i < loops_.size(); ++i) lines.batch.push_back(of_lines(i));
    return lines;
  }
  FftSpec stage(Kind kind) const {
    FftSpec stage = spec_;
    stage.kind = kind;
    stage.scale = 1;
    stage.in_place = false;
    return stage;
  }

  const FftSpec& spec_;
  bool forward_;
  Loops loops_;                        ///< the user's: the transformed axes, then the batch
  std::vector<std::int64_t> between_;  ///< their strides between the passes
  std::size_t slow_ = slow, fast_ = fast;
  bool innermost_ = false;  ///< a row's spectrum is one run of memory
  std::int64_t numbers_ = 0;
};

}  // namespace

StageList padded_stages(const FftSpec& spec) {
  if (spec.kind == Kind::r2r || spec.transform.size() != 3 || is_empty(spec)) return {};
  const bool real = is_halved(spec), forward = spec.direction == Direction::forward;
  if (real ? (spec.kind == Kind::r2c) != forward
           : device::lines::begins_with_units(spec.transform.back().count, spec.precision))
    return {};
  return Padded(spec).list();
}

}  // namespace shardfft::gpu
