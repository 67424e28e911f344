// Planes and lines with padded rows between them, in stages.
#include <algorithm>
#include <utility>

#include "device/plane_pass.hpp"
#include "gpu/pass/fft_plan.hpp"

namespace shardfft::gpu {

namespace {

/// A loop over spectra: along which stride users have it, and which it has between the passes.
struct PaddedLoop {
  FftDim user;
  std::int64_t stride = 1;
};

class Padded {
 public:
  explicit Padded(const FftSpec& spec) : spec_(spec), forward_(spec.direction == Direction::forward) {
    for (const FftDim& d : spec.transform) loops_.push_back({d});
    for (const FftDim& d : spec.batch) loops_.push_back({d});
    std::vector<PaddedLoop*> by_stride;
    for (PaddedLoop& loop : loops_) by_stride.push_back(&loop);
    std::stable_sort(by_stride.begin(), by_stride.end(), [this](const PaddedLoop* a, const PaddedLoop* b) {
      return spectrum_stride(a->user) < spectrum_stride(b->user);
    });
    innermost_ = by_stride.front() == &loops_[last];
    std::int64_t stride = device::lines::whole_bundles(points(), spec.precision);
    for (PaddedLoop* const loop : by_stride) {
      if (loop == &loops_[last]) continue;
      loop->stride = stride;
      stride *= loop->user.n;
    }
    numbers_ = stride;
    if (spectrum_stride(loops_[slow].user) < spectrum_stride(loops_[fast].user)) std::swap(slow_, fast_);
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
    const Spot in{RunArray::in}, between{RunArray::scratch}, out{RunArray::out};
    if (forward_) list.stages.push_back({planes_spec(), in, between, padded});
    list.stages.push_back({lines_spec(), forward_ ? between : in, forward_ ? out : between, padded});
    if (!forward_) list.stages.push_back({planes_spec(), between, out, padded});
    return list;
  }

 private:
  static constexpr std::size_t slow = 0, fast = 1, last = 2;  ///< the last one is halved if one is

  std::int64_t points() const { return device::lines::spectrum_points(spec_.transform[last].n, is_halved(spec_)); }
  std::int64_t spectrum_stride(const FftDim& d) const { return forward_ ? d.out_stride : d.in_stride; }

  /// The loop as the plane pass sees it, between the user's field and padded rows.
  FftDim of_planes(const PaddedLoop& loop) const {
    return forward_ ? FftDim{loop.user.n, loop.user.in_stride, loop.stride}
                    : FftDim{loop.user.n, loop.stride, loop.user.out_stride};
  }
  /// The loop as the line pass sees it, between padded rows and the user's spectrum.
  FftDim of_lines(const PaddedLoop& loop) const {
    return forward_ ? FftDim{loop.user.n, loop.stride, loop.user.out_stride}
                    : FftDim{loop.user.n, loop.user.in_stride, loop.stride};
  }
  FftSpec planes_spec() const {
    FftSpec planes = stage(spec_.kind);
    planes.transform = {of_planes(loops_[fast_]), of_planes(loops_[last])};
    planes.batch = {of_planes(loops_[slow_])};
    for (std::size_t i = last + 1; i < loops_.size(); ++i) planes.batch.push_back(of_planes(loops_[i]));
    planes.preserve_input = false;
    return planes;
  }
  FftSpec lines_spec() const {
    FftSpec lines = stage(Kind::c2c);
    lines.transform = {of_lines(loops_[slow_])};
    lines.batch = {of_lines(loops_[fast_]), of_lines(loops_[last])};
    lines.batch.back().n = points();
    for (std::size_t i = last + 1; i < loops_.size(); ++i) lines.batch.push_back(of_lines(loops_[i]));
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
  std::vector<PaddedLoop> loops_;  ///< the transformed axes, then the batch
  std::size_t slow_ = slow, fast_ = fast;
  bool innermost_ = false;  ///< a row's spectrum is one run of memory
  std::int64_t numbers_ = 0;
};

}  // namespace

StageList padded_stages(const FftSpec& spec) {
  if (spec.kind == Kind::r2r || spec.transform.size() != 3 || is_empty(spec)) return {};
  const bool real = is_halved(spec), forward = spec.direction == Direction::forward;
  if (real ? (spec.kind == Kind::r2c) != forward
           : device::lines::begins_with_units(spec.transform.back().n, spec.precision))
    return {};
  return Padded(spec).list();
}

}  // namespace shardfft::gpu
