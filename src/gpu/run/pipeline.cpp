#include "gpu/run/pipeline.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/check/device_check.hpp"
#include "gpu/pass/device_fft.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "schedule/pipeline.hpp"

namespace shardfft::gpu {

namespace {

using Moment = DeviceStepHook::Moment;

/// Bytes of the contiguous run of numbers that begins with the first one of a side.
std::size_t run_bytes(const Loops& loops, std::int64_t Loop::*stride, ElementType element) {
  std::int64_t run = points(loops) == 0 ? 0 : 1;
  for (const Loop& loop : loops)
    if (loop.*stride == 1) run *= loop.count;
  return static_cast<std::size_t>(run) * element.bytes();
}

/// Shows one side of a piece of a transform, which begins at `array`, to a hook of tests that looks into the run.
void look(const DeviceCheck* check, Moment moment, const FftSpec& spec, OwnPoints::Side side, const std::byte* array,
          device::StreamHandle stream) {
  if (check == nullptr) return;
  const std::size_t bytes = side == OwnPoints::Side::input
                                ? run_bytes(input_loops(spec), &Loop::from, input_element(spec))
                                : run_bytes(output_loops(spec), &Loop::to, output_element(spec));
  check->reached(moment, const_cast<std::byte*>(array), bytes, stream);
}

/// What one run of an end works on. `beyond`: the array at the other end of the reshape where the passes have what does
/// not travel there; else null.
struct EndBuffers {
  const std::byte* in;
  std::byte *out, *scratch, *beyond = nullptr;
};

/// The transforms at one end of a reshape, in pieces, on one member.
class PipelineEnd {
 public:
  PipelineEnd() = default;
  /// `pieces`: of the transform; `side`: the one next to the reshape; `beyond`: the layout at the other end of that.
  PipelineEnd(const Pass& fft, const ExecutorSetup& setup, const std::vector<Slice>& pieces, int rank,
              OwnPoints::Side side, const Layout& beyond);

  bool empty() const { return ffts_.empty(); }
  /// Whether its passes can have what does not travel in the array at the other end of the reshape.
  bool moves_own() const;
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  void for_each(const std::function<void(DeviceOperation&)>& visit) const {
    for (const Fft& fft : ffts_) visit(*fft.operation);
  }
  bool runs_in_place() const {
    return std::all_of(ffts_.begin(), ffts_.end(), [](const Fft& fft) { return fft.operation->runs_in_place(); });
  }
  const std::string& text() const { return text_; }
  /// Null without checks. Its transforms take part in it from then on: it lives as long as they run.
  std::unique_ptr<DeviceCheck> make_check();

  void run(int chunk, const EndBuffers& buffers, device::StreamHandle stream) const;

 private:
  struct Fft {
    std::unique_ptr<DeviceFft> operation;
    std::optional<OwnPoints> own;  ///< that it can have in another array
    FftPart part;
    std::unique_ptr<DeviceCheck> check;  ///< until it is given away
  };

  OwnPoints::Side side_ = OwnPoints::Side::output;
  std::vector<Fft> ffts_;
  std::size_t scratch_bytes_ = 0;
  std::string text_;
  const PieceChecks* check_ = nullptr;
};

PipelineEnd::PipelineEnd(const Pass& fft, const ExecutorSetup& setup, const std::vector<Slice>& pieces, int rank,
                         OwnPoints::Side side, const Layout& beyond)
    : side_(side) {
  const Layout& here = (side == OwnPoints::Side::output ? fft.after : fft.before).layout;
  for (const Slice& slice : pieces) {
    FftPart part = part_of(fft, rank, setup.precision, slice);
    // What was found fit for chunks is the way that is expected to be the fastest.
    part.spec.effort = pieces.size() > 1 ? Effort::estimate : setup.options.effort;
    Fft& made = ffts_.emplace_back();
    made.operation = make_device_fft(part.spec, setup.options.verify);
    if (text_.empty()) text_ = made.operation->describe();
    scratch_bytes_ = std::max(scratch_bytes_, made.operation->scratch_bytes());
    if (setup.options.verify) made.check = make_device_transform_check(*made.operation, part.spec);
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

/// Phases are those of the exchange, which announces. The transforms keep the stream busy; copies run on streams of the
/// exchange's own.
class DevicePipeline : public PipelineOf<JointOperation, PipelineEnd, DeviceOperation> {
 public:
  /// `check`: of the reshape, or null. When others write into the input, it is read before they are told that they may;
  /// when what comes after leads there from where the reshape ends (`leads`), it has been sent by then.
  DevicePipeline(PipelineEnd before, AllMoves exchanges, PipelineEnd after, std::unique_ptr<DeviceCheck> check,
                 const Pieces& pieces, const Moves& how, bool leads)
      : PipelineOf(pieces, std::move(before), std::move(exchanges), std::move(after), how,
                   !pieces.before.empty() ? Barrier::before_moves
                   : leads                ? Barrier::after_moves
                                          : Barrier::none),
        check_(std::move(check)) {
    const bool leaves_own = before_.moves_own(), takes_own = !leaves_own && after_.moves_own();
    tell(pieces.text, before_.text() + (leaves_own ? " (leaves the own part in place)" : ""),
         moves_.front()->describe() + " a chunk",
         after_.text() + (takes_own ? " (takes the own part from its place)" : ""));
  }

  int phases() const override { return moves_.front()->phases(); }
  bool announces() const override { return true; }
  bool takes_input_as_middle() const override { return before_.runs_in_place(); }
  bool writes_peers() const override { return true; }
  Activity activity() const override { return Activity::other; }
  std::size_t scratch_bytes() const override { return std::max(before_.scratch_bytes(), after_.scratch_bytes()); }
  /// What all pieces on one side of the reshape wrote, on all ranks, must be what those on the other side read.
  DeviceChecks make_checks() override {
    DeviceChecks checks;
    if (auto before = before_.make_check()) checks.push_back(std::move(before));
    checks.push_back(std::move(check_));
    if (auto after = after_.make_check()) checks.push_back(std::move(after));
    return checks;
  }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    const bool one_array = buffers.one_array && runs_in_place();
    std::byte* const source =
        before_.empty() ? const_cast<std::byte*>(buffers.in) : buffers.middle;  // `in` is only read
    const bool leaves_own = before_.moves_own() && !one_array;
    const bool takes_own = !leaves_own && after_.moves_own() && !(one_array && before_.empty());
    // What lands elsewhere than in the output is led from there by the transform, or by the exchange itself.
    const bool leads = buffers.landing != nullptr && !after_.empty();
    std::byte* const result = leads ? buffers.landing : buffers.out;  // of the exchange
    const EndBuffers first{buffers.in, buffers.middle, buffers.scratch, leaves_own ? result : nullptr};
    const EndBuffers then{result, buffers.out, buffers.scratch, takes_own ? source : nullptr};
    DeviceBuffers moved{source, result, buffers.scratch, buffers.outs};
    if (!leads) moved.landing = buffers.landing;
    moved.own_is_there = leaves_own || takes_own;
    for (const Turn& turn : turns(phase, one_array)) {
      if (turn.stage == Stage::before) before_.run(turn.piece, first, stream);
      if (turn.stage == Stage::move) move(turn).enqueue(phase, moved, stream);
      if (turn.stage == Stage::after) after_.run(turn.piece, then, stream);
    }
  }

 private:
  void for_each(const std::function<void(DeviceOperation&)>& visit) const override {
    before_.for_each(visit);
    for (const auto& exchange : moves_) visit(*exchange);
    after_.for_each(visit);
  }

  std::unique_ptr<DeviceCheck> check_;  ///< of the reshape, until it is given away
};

}  // namespace

FftPart part_of(const Pass& pass, int rank, Precision precision, const Slice& slice) {
  const auto offset = [&](const State& state) {
    return sliced(only_piece(state.layout, rank), slice).offset *
           static_cast<std::int64_t>(element_bytes(state, precision));
  };
  return {fft_spec(pass, rank, precision, slice), offset(pass.before), offset(pass.after)};
}

MemberOperations make_device_pipeline(const ExecutorSetup& setup, Team& team, const Joined& steps, const Pieces& pieces,
                                      bool leads) {
  const Layout &from = steps.from.layout, &to = steps.to.layout;
  const DeviceReshapeSetup reshape{&team, from, to, element_bytes(steps.from, setup.precision)};
  struct Made {
    PipelineEnd before, after;
    std::unique_ptr<DeviceCheck> check;
    std::vector<std::unique_ptr<DeviceOperation>> exchanges{};
  };
  auto all = team.for_members([&](std::size_t m) {
    const int rank = team.here()[m].rank;
    Made made;
    if (steps.before) made.before = PipelineEnd(*steps.before, setup, pieces.before, rank, OwnPoints::Side::output, to);
    if (steps.after) made.after = PipelineEnd(*steps.after, setup, pieces.after, rank, OwnPoints::Side::input, from);
    if (setup.options.verify) made.check = make_device_move_check(from, to, rank, reshape.element_bytes);
    return made;
  });
  for (MemberOperations& message : make_device_messages(setup.exchange, reshape, pieces.messages))
    for (std::size_t m = 0; m < all.size(); ++m) all[m].exchanges.push_back(std::move(message[m]));
  MemberOperations operations;
  for (Made& made : all) {
    const Moves how{made.exchanges.front()->phases(), 0, true};
    operations.push_back(std::make_unique<DevicePipeline>(std::move(made.before), std::move(made.exchanges),
                                                          std::move(made.after), std::move(made.check), pieces, how,
                                                          leads));
  }
  return operations;
}

}  // namespace shardfft::gpu
