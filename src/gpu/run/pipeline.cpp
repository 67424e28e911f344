#include "gpu/run/pipeline.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/facts.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/run/pipeline_end.hpp"
#include "local/loops.hpp"
#include "lower/fft_spec.hpp"
#include "schedule/pipeline.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// Whether a chunk can be transformed where it lies as fast as the whole.
bool runs_well(const FftPart& part) {
  if (is_empty(part.spec)) return true;
  if (part.in % device::unit_bytes != 0 || part.out % device::unit_bytes != 0) return false;
  const Loops loops = output_loops(part.spec);
  const bool dense = output_extent(loops) == points(loops);
  const FftPlan plan = plan_fft(part.spec);
  return plan.runs_where_it_lies() && (dense || plan.scales_free());
}

/// A cut along the axis that is contiguous in memory takes whole runs of its rows, or else both chunks read and write
/// the run that they share; chunks of `least_row` bytes at least, and of twice as many where rows begin within runs.
/// False where they begin within sectors: what is stored in a part of one is read before.
bool take_whole_runs(Chunking& chunking, const State& from, const State& to, Precision precision,
                     std::int64_t least_row) {
  for (const State* state : {&from, &to}) {
    const Layout& layout = state->layout;
    if (!layout.is_grid() || layout.order().back() != chunking.axis) continue;
    const auto bytes = static_cast<std::int64_t>(element_bytes(*state, precision));
    const std::int64_t grain = device::run_bytes / bytes;
    std::int64_t least = least_row;
    for (const Progression& part : layout.parts(chunking.axis)) {
      if (part.count * bytes % device::sector_bytes != 0) return false;
      if (part.count % grain != 0) least = 2 * least_row;
    }
    chunking.grain = std::max(chunking.grain, grain);
    if (least > 0)
      chunking.parts =
          static_cast<int>(std::min<std::int64_t>(chunking.parts, longest_run(layout, chunking.axis) * bytes / least));
  }
  const auto grains = longest_run(from.layout, chunking.axis) / chunking.grain;
  chunking.parts = static_cast<int>(std::min<std::int64_t>(chunking.parts, grains));
  return chunking.cuts();
}

/// Phases are those of the exchange, which announces. The transforms keep the stream busy; copies run on streams of the
/// exchange's own.
class DevicePipeline : public PipelineOf<DeviceOperation, PipelineEnd, DeviceOperation> {
 public:
  /// `check`: of the reshape, or null. When others write into the input, it is read before they are told that they may.
  DevicePipeline(PipelineEnd before, AllMoves exchanges, PipelineEnd after, std::unique_ptr<DeviceCheck> check,
                 const Pieces& pieces, const Moves& how)
      : PipelineOf(pieces, std::move(before), std::move(exchanges), std::move(after), how,
                   pieces.before.empty() ? Barrier::none : Barrier::before_moves),
        check_(std::move(check)) {
    const bool leaves_own = before_.moves_own(), takes_own = !leaves_own && after_.moves_own();
    tell(pieces.text, before_.text() + (leaves_own ? " (leaves the own part in place)" : ""),
         moves_.front()->describe() + " a chunk",
         after_.text() + (takes_own ? " (takes the own part from its place)" : ""));
  }

  int phases() const override { return moves_.front()->phases(); }
  bool announces() const override { return true; }
  bool writes_peers() const override { return true; }
  bool capturable() const override { return moves_.front()->capturable(); }
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
  std::size_t held_bytes() const override { return sum_of(&DeviceOperation::held_bytes); }
  std::size_t pinned_bytes() const override { return sum_of(&DeviceOperation::pinned_bytes); }
  std::size_t library_bytes() const override { return sum_of(&DeviceOperation::library_bytes); }
  void check() override { for_each(&DeviceOperation::check); }
  void break_off() override { for_each(&DeviceOperation::break_off); }
  void abandon() override { for_each(&DeviceOperation::abandon); }
  void close_peers() override { for_each(&DeviceOperation::close_peers); }

  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    const bool one_array = buffers.one_array && !before_.empty();
    std::byte* const source =
        before_.empty() ? const_cast<std::byte*>(buffers.in) : buffers.middle;  // `in` is only read
    const bool leaves_own = before_.moves_own() && !one_array, takes_own = !leaves_own && after_.moves_own();
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
  /// Every operation of which it is made.
  template <class Member>
  void for_each(const Member& member) const {
    const auto visit = [&](DeviceOperation& operation) { std::invoke(member, operation); };
    before_.for_each(visit);
    for (const auto& exchange : moves_) visit(*exchange);
    after_.for_each(visit);
  }
  std::size_t sum_of(std::size_t (DeviceOperation::*bytes)() const) const {
    std::size_t sum = 0;
    for_each([&](const DeviceOperation& operation) { sum += (operation.*bytes)(); });
    return sum;
  }

  std::unique_ptr<DeviceCheck> check_;  ///< of the reshape, until it is given away
};

}  // namespace

int automatic_chunks(std::size_t bytes) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  const auto fit = static_cast<int>(std::min<std::size_t>(bytes / defaults.pipeline_chunk_bytes, 1U << 20));
  return std::clamp(fit, 1, defaults.most_pipeline_chunks);
}

Chunking choose_device_chunking(const Team& team, const ChunkedSteps& steps, const State& from, const State& to,
                                Precision precision, int chunks, std::int64_t least_row) {
  for (Chunking chunking : possible_chunkings(steps, chunks)) {
    if (!take_whole_runs(chunking, from, to, precision, least_row)) continue;
    const bool good = team.all_of([&](const Member& member) {
      const auto chunks_run_well = [&](const Pass& pass) {
        for (int k = 0; k < chunking.parts; ++k)
          if (!runs_well(part_of(pass, member.rank, precision, chunking.slice(k)))) return false;
        return true;
      };
      if (steps.before != nullptr && chunking.ends != ChunkEnds::receiver &&
          !chunks_run_well({*steps.before, state_after(reversed(*steps.before), from), from}))
        return false;
      if (steps.after == nullptr || chunking.ends == ChunkEnds::sender) return true;
      Pass after{*steps.after, to, state_after(*steps.after, to)};
      after.preserve_input = false;  // what has arrived is read once
      return chunks_run_well(after);
    });
    if (good) return chunking;
  }
  return {};
}

MemberOperations make_device_pipeline(const DevicePipelineSetup& setup) {
  Team& team = *setup.reshape.team;
  const Pieces& pieces = setup.pieces;
  std::vector<std::pair<PipelineEnd, PipelineEnd>> ends(team.here().size());
  std::vector<std::unique_ptr<DeviceCheck>> checks(team.here().size());
  team.agree([&] {
    for (std::size_t m = 0; m < team.here().size(); ++m) {
      const Member& member = team.here()[m];
      const device::DeviceScope scope(member.device);
      if (setup.before)
        ends[m].first =
            PipelineEnd(*setup.before, setup, pieces.before, member.rank, OwnPoints::Side::output, setup.reshape.to);
      if (setup.after)
        ends[m].second =
            PipelineEnd(*setup.after, setup, pieces.after, member.rank, OwnPoints::Side::input, setup.reshape.from);
      if (setup.verify)
        checks[m] =
            make_device_move_check(setup.reshape.from, setup.reshape.to, member.rank, setup.reshape.element_bytes);
    }
  });
  std::vector<std::vector<std::unique_ptr<DeviceOperation>>> exchanges(team.here().size());
  for (const Pieces::Message& message : pieces.messages) {
    DeviceReshapeSetup reshape = setup.reshape;
    reshape.from_slice = message.from;
    reshape.to_slice = message.to;
    MemberOperations made = make_device_reshape(setup.exchange, reshape);
    for (std::size_t m = 0; m < made.size(); ++m) exchanges[m].push_back(std::move(made[m]));
  }
  MemberOperations operations;
  for (std::size_t m = 0; m < exchanges.size(); ++m) {
    const Moves how{exchanges[m].front()->phases(), 0, true};
    operations.push_back(std::make_unique<DevicePipeline>(std::move(ends[m].first), std::move(exchanges[m]),
                                                          std::move(ends[m].second), std::move(checks[m]), pieces,
                                                          how));
  }
  return operations;
}

}  // namespace shardfft::gpu
