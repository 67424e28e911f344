#include "gpu/run/pipeline_end.hpp"

#include <algorithm>
#include <utility>

#include "gpu/pass/device_fft.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"

namespace shardfft::gpu {

namespace {

using Moment = DeviceStepHook::Moment;

/// Bytes of the contiguous run of numbers that begins with the first one of a side.
std::size_t run_bytes(const Loops& loops, std::int64_t FftDim::*stride, ElementType element) {
  std::int64_t run = points(loops) == 0 ? 0 : 1;
  for (const FftDim& loop : loops)
    if (loop.*stride == 1) run *= loop.n;
  return static_cast<std::size_t>(run) * element.bytes();
}

/// Shows one side of a piece of a transform, which begins at `array`, to a hook of tests that looks into the run.
void look(const DeviceCheck* check, Moment moment, const FftSpec& spec, OwnPoints::Side side, const std::byte* array,
          device::StreamHandle stream) {
  if (check == nullptr) return;
  const std::size_t bytes = side == OwnPoints::Side::input
                                ? run_bytes(input_loops(spec), &FftDim::in_stride, input_element(spec))
                                : run_bytes(output_loops(spec), &FftDim::out_stride, output_element(spec));
  check->reached(moment, const_cast<std::byte*>(array), bytes, stream);
}

}  // namespace

FftPart part_of(const Pass& pass, int rank, Precision precision, const Slice& slice) {
  const auto offset = [&](const State& state) {
    return sliced(only_piece(state.layout, rank), slice).offset *
           static_cast<std::int64_t>(element_bytes(state, precision));
  };
  return {fft_spec(pass, rank, precision, slice), offset(pass.before), offset(pass.after)};
}

PipelineEnd::PipelineEnd(const Pass& fft, const DevicePipelineSetup& setup, const std::vector<Slice>& pieces, int rank,
                         OwnPoints::Side side, const Layout& beyond)
    : side_(side) {
  const Layout& here = (side == OwnPoints::Side::output ? fft.after : fft.before).layout;
  for (const Slice& slice : pieces) {
    FftPart part = part_of(fft, rank, setup.precision, slice);
    // What was found fit for chunks is the way that is expected to be the fastest.
    part.spec.effort = pieces.size() > 1 ? Effort::estimate : setup.effort;
    Fft& made = ffts_.emplace_back();
    made.operation = make_device_fft(part.spec, setup.verify);
    if (text_.empty()) text_ = made.operation->describe();
    scratch_bytes_ = std::max(scratch_bytes_, made.operation->scratch_bytes());
    if (setup.verify) made.check = make_device_transform_check(*made.operation, part.spec);
    made.part = std::move(part);
    if (made.check != nullptr && made.check->looks_around()) continue;  // at one array on each side
    made.own = own_points(fft.step, sliced(only_piece(here, rank), slice), beyond, rank, side);
    if (made.own && !made.operation->take_own(*made.own)) made.own.reset();
  }
}

bool PipelineEnd::moves_own() const {
  return !ffts_.empty() && std::all_of(ffts_.begin(), ffts_.end(), [](const Fft& fft) { return fft.own.has_value(); });
}

std::unique_ptr<DeviceCheck> PipelineEnd::make_check() {
  DeviceChecks pieces;
  for (Fft& fft : ffts_)
    if (fft.check) pieces.push_back(std::move(fft.check));
  if (pieces.empty()) return nullptr;
  auto check = std::make_unique<PieceChecks>(std::move(pieces));
  check_ = check.get();
  return check;
}

void PipelineEnd::run(int chunk, const EndBuffers& buffers, device::StreamHandle stream) const {
  using enum OwnPoints::Side;
  const Fft& fft = ffts_[static_cast<std::size_t>(chunk)];
  const FftSpec& spec = fft.part.spec;
  const std::byte* const in = buffers.in + fft.part.in;
  std::byte* const out = buffers.out + fft.part.out;
  DeviceCheck* const check = check_ != nullptr ? &check_->piece(chunk) : nullptr;
  DeviceCheck* const around = check != nullptr && check->looks_around() ? check : nullptr;
  DeviceBuffers arrays{in, out, buffers.scratch};
  arrays.beyond = buffers.beyond;
  const std::byte* const here = side_ == input ? in : out;
  const std::byte* const next_to_reshape =
      buffers.beyond != nullptr ? buffers.beyond + fft.own->offset_bytes(spec.precision) : here;

  if (side_ == input) look(check, Moment::between, spec, input, next_to_reshape, stream);
  if (check != nullptr) check->enqueue_before(arrays, stream);
  look(around, Moment::in_middle, spec, input, in, stream);
  fft.operation->enqueue(0, arrays, stream);
  look(around, Moment::after, spec, output, out, stream);
  if (check != nullptr) check->enqueue_after(arrays, stream);
  if (side_ == output) look(check, Moment::between, spec, output, next_to_reshape, stream);
}

}  // namespace shardfft::gpu
