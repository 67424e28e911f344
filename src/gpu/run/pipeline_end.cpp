#include "gpu/run/pipeline_end.hpp"

#include <algorithm>
#include <utility>

#include "local/loops.hpp"

namespace shardfft::gpu {

namespace {

using Moment = DeviceStepHook::Moment;

/// Bytes of the contiguous run of numbers that begins with the first number of a side.
std::size_t run_bytes(const Loops& loops, std::int64_t Loop::*stride, ElementType element) {
  std::int64_t run = points(loops) == 0 ? 0 : 1;
  for (const Loop& loop : loops)
    if (loop.*stride == 1) run *= loop.count;
  return static_cast<std::size_t>(run) * element.bytes();
}

/// Shows one side of a piece, which begins at `array`, to a test's hook that looks into the run.
void look(const DeviceCheck* check, Moment moment, const FftSpec& spec, LineOwners::Side side, const std::byte* array,
          device::StreamHandle stream) {
  if (check == nullptr) return;
  const std::size_t bytes = side == LineOwners::Side::input
                                ? run_bytes(input_loops(spec), &Loop::from, input_element(spec))
                                : run_bytes(output_loops(spec), &Loop::to, output_element(spec));
  check->reached(moment, const_cast<std::byte*>(array), bytes, stream);
}

}  // namespace

PipelineEnd::PipelineEnd(const LocalTransform& fft, const ExecutorSetup& setup, const Pieces& pieces, int rank,
                         LineOwners::Side side, const Layout& other_end, const StagingBuffer* staging)
    : side_(side), rank_(rank) {
  const bool is_before = side == LineOwners::Side::output;
  LocalTransform local = fft;
  const Layout& here = (is_before ? local.after : local.before).layout;
  const std::vector<Slice>& slices = is_before ? pieces.before : pieces.after;
  for (const Slice& slice : slices) {
    if (staging != nullptr) local.after.layout = staging->pieces[ffts_.size()].layout.value_or(fft.after.layout);
    PlacedFft placed = placed_fft(local, rank, setup.precision, slice);
    // The passes that were found fit for chunks are expected to be the fastest; line passes also move data.
    const bool is_known = slices.size() > 1 || placed.spec.transform.size() == 1;
    placed.spec.effort = is_known ? Effort::estimate : setup.options.effort;
    Fft& made = ffts_.emplace_back();
    made.owners = line_owners(fft.step, sliced(only_piece(here, rank), slice), other_end, side);
    const std::optional<FftPlan> storing = is_before && pieces.stores && made.owners
                                               ? plan_storing_fft(placed.spec, *made.owners, setup.options.verify)
                                               : std::nullopt;
    made.operation = storing ? storing->make(setup.options.verify) : make_device_fft(placed.spec, setup.options.verify);
    if (text_.empty()) text_ = made.operation->describe();
    scratch_bytes_ = std::max(scratch_bytes_, made.operation->scratch_bytes());
    if (setup.options.verify) made.check = make_device_transform_check(*made.operation, placed.spec);
    made.placed = std::move(placed);
    if (made.check != nullptr && made.check->looks_around()) made.owners.reset();  // it reads one array on each side
  }
}

bool PipelineEnd::accepts(Fft& fft, Moved what) const {
  if (is_empty(fft.placed.spec)) return what == Moved::all;
  if (!fft.owners) return false;
  fft.accepted = what == Moved::all ? *fft.owners : fft.owners->only(rank_);
  return (what != Moved::all || fft.accepted.has_all()) && fft.operation->accept(fft.accepted);
}

bool PipelineEnd::accept(Moved what) {
  bool all = !ffts_.empty();
  for (Fft& fft : ffts_) all = accepts(fft, what) && all;
  moves_ = all ? what : Moved::nothing;
  return all;
}

bool PipelineEnd::accept(const std::vector<LineOwners>& owners) {
  for (std::size_t k = 0; k < ffts_.size(); ++k) {
    Fft& fft = ffts_[k];
    if (!fft.owners || !fft.operation->accept(owners[k])) return false;
    fft.accepted = owners[k];
  }
  moves_ = Moved::own;
  return !ffts_.empty();
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

const std::byte* PipelineEnd::next_to_reshape(const Fft& fft, const EndBuffers& buffers) const {
  const std::vector<LineOwners::Run>& direct = fft.accepted.direct;
  const auto own = std::find_if(direct.begin(), direct.end(), [this](const auto& run) { return run.rank == rank_; });
  const LineOwners::Run& run = own != direct.end() ? *own : direct.front();
  return buffers.other_end[static_cast<std::size_t>(run.rank)] + offset_bytes(run, fft.placed.spec.precision);
}

void PipelineEnd::run(int chunk, const EndBuffers& buffers, device::StreamHandle stream) const {
  using enum LineOwners::Side;
  const Fft& fft = ffts_[static_cast<std::size_t>(chunk)];
  const FftSpec& spec = fft.placed.spec;
  const std::byte* const in = buffers.in + fft.placed.in;
  std::byte* const out = buffers.out + fft.placed.out;
  DeviceCheck* const check = check_ != nullptr ? &check_->piece(chunk) : nullptr;
  DeviceCheck* const around = check != nullptr && check->looks_around() ? check : nullptr;
  DeviceBuffers arrays{in, out, buffers.scratch};
  std::vector<std::byte*> direct_arrays;
  if (!buffers.other_end.empty())
    for (const LineOwners::Run& run : fft.accepted.direct)
      direct_arrays.push_back(buffers.other_end[static_cast<std::size_t>(run.rank)]);
  arrays.direct_arrays = direct_arrays;
  const std::byte* const shown = !direct_arrays.empty() ? next_to_reshape(fft, buffers) : side_ == input ? in : out;

  if (side_ == input) look(check, Moment::between, spec, input, shown, stream);
  if (check != nullptr) check->enqueue_before(arrays, stream);
  look(around, Moment::in_middle, spec, input, in, stream);
  fft.operation->enqueue(0, arrays, stream);
  look(around, Moment::after, spec, output, out, stream);
  if (check != nullptr) check->enqueue_after(arrays, stream);
  if (side_ == output) look(check, Moment::between, spec, output, shown, stream);
}

}  // namespace shardfft::gpu
