#include "gpu/pipeline.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/facts.hpp"
#include "exec/fft_operation.hpp"
#include "gpu/device_fft.hpp"
#include "gpu/line_pass.hpp"
#include "local/loops.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// One member's part of a chunk's transform, at byte offsets of its arrays.
struct FftPart {
  FftSpec spec;
  std::int64_t in = 0, out = 0;
};

std::int64_t number_bytes(const State& state, Precision precision) {
  return static_cast<std::int64_t>(element_bytes(state, precision));
}

FftPart part_of(const TransformStep& step, const State& before, const State& after, int rank, Precision precision,
                const Slice& slice) {
  const Piece in = sliced(only_piece(before.layout, rank), slice), out = sliced(only_piece(after.layout, rank), slice);
  return {fft_spec_between(step, in, out, precision, before.is_complex), in.offset * number_bytes(before, precision),
          out.offset * number_bytes(after, precision)};
}

/// Whether a chunk can be transformed where it lies as fast as the whole.
bool runs_well(const FftPart& part) {
  if (is_empty(part.spec)) return true;
  if (part.in % device::unit_bytes != 0 || part.out % device::unit_bytes != 0) return false;
  const Loops loops = output_loops(part.spec);
  const bool dense = output_extent(loops) == points(loops);
  return runs_where_it_lies(part.spec) && (dense || scales_free(part.spec));
}

/// A cut along the axis that is contiguous in memory takes whole runs of its rows, or else both chunks read and write
/// the run that they share; chunks of `least_row` bytes at least, and of twice as many where rows begin within runs.
/// False where they begin within sectors: what is stored in a part of one is read before.
bool take_whole_runs(Chunking& chunking, const State& from, const State& to, Precision precision,
                     std::int64_t least_row) {
  for (const State* state : {&from, &to}) {
    const Layout& layout = state->layout;
    if (!layout.is_grid() || layout.order().back() != chunking.axis) continue;
    const std::int64_t bytes = number_bytes(*state, precision), grain = device::run_bytes / bytes;
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

/// What one run of an end works on. `beyond`: the array at the other end of the reshape where the passes have what does
/// not travel there; else null.
struct EndBuffers {
  const std::byte* in;
  std::byte *out, *scratch, *beyond = nullptr;
};

/// The transforms of one end of the pipeline on one member: chunk by chunk, or all at once.
class End {
 public:
  End() = default;
  /// `side`: the one next to the reshape; `beyond`: the layout at the other end of that.
  End(const DevicePipelineFft& fft, const Chunking& chunking, bool chunked, int rank, Precision precision,
      OwnPoints::Side side, const Layout& beyond)
      : chunked_(chunked) {
    const Layout& here = (side == OwnPoints::Side::output ? fft.after : fft.before).layout;
    for (int k = 0; k < (chunked ? chunking.parts : 1); ++k) {
      const Slice slice = chunked ? chunking.slice(k) : Slice{};
      FftPart part = part_of(fft.step, fft.before, fft.after, rank, precision, slice);
      part.spec.scale = fft.scale;
      part.spec.preserve_input = fft.preserve_input;
      part.spec.in_place = fft.in_place;
      // What was found fit for chunks is the way that is expected to be the fastest.
      part.spec.effort = chunked ? Effort::estimate : fft.effort;
      if (text_.empty()) text_ = describe_fft(part.spec);
      ffts_.push_back({make_device_fft(part.spec), {}, part.in, part.out});
      scratch_bytes_ = std::max(scratch_bytes_, ffts_.back().operation->scratch_bytes());
      if (const auto own = own_points(fft.step, sliced(only_piece(here, rank), slice), beyond, rank, side))
        ffts_.back().own = make_own_points_pass(part.spec, *own);
    }
  }

  bool empty() const { return ffts_.empty(); }
  bool chunked() const { return chunked_; }
  /// Whether its passes can have what does not travel in the array at the other end of the reshape.
  bool moves_own() const {
    return !ffts_.empty() &&
           std::all_of(ffts_.begin(), ffts_.end(), [](const Fft& fft) { return fft.own.has_value(); });
  }
  std::size_t scratch_bytes() const { return scratch_bytes_; }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Fft& fft : ffts_) visit(*fft.operation);
  }
  const std::string& text() const { return text_; }

  void run(int chunk, const EndBuffers& buffers, device::StreamHandle stream) const {
    const Fft& fft = ffts_[static_cast<std::size_t>(chunk)];
    const std::byte* const in = buffers.in + fft.in;
    std::byte* const out = buffers.out + fft.out;
    if (buffers.beyond != nullptr)
      fft.own->enqueue(in, out, buffers.beyond, stream);
    else
      fft.operation->enqueue(0, {in, out, buffers.scratch, {}, nullptr}, stream);
  }
  void run_all(const EndBuffers& buffers, device::StreamHandle stream) const {
    for (int k = 0; k < static_cast<int>(ffts_.size()); ++k) run(k, buffers, stream);
  }

 private:
  struct Fft {
    std::unique_ptr<DeviceOperation> operation;
    std::optional<OwnPointsPass> own;  ///< the same with what does not travel in another array
    std::int64_t in = 0, out = 0;
  };
  std::vector<Fft> ffts_;
  bool chunked_ = false;
  std::size_t scratch_bytes_ = 0;
  std::string text_;
};

/// Phases are those of the exchange, which announces: all chunks go through each of them together. The transforms keep
/// the stream busy; copies run on streams of the exchange's own.
class DevicePipeline : public DeviceOperation {
 public:
  DevicePipeline(End before, End after, std::vector<std::unique_ptr<DeviceOperation>> exchanges, std::string cut)
      : before_(std::move(before)),
        after_(std::move(after)),
        exchanges_(std::move(exchanges)),
        text_("pipeline of " + std::move(cut) + ": ") {
    if (!before_.empty()) text_ += before_.text() + (before_.moves_own() ? " (leaves the own part in place), " : ", ");
    text_ += exchanges_.front()->describe() + " a chunk";
    if (!after_.empty()) text_ += ", " + after_.text();
    if (!before_.moves_own() && after_.moves_own()) text_ += " (takes the own part from its place)";
  }

  int phases() const override { return exchanges_.front()->phases(); }
  bool announces() const override { return true; }
  bool writes_peers() const override { return true; }
  bool capturable() const override { return exchanges_.front()->capturable(); }
  Activity activity() const override { return Activity::other; }
  std::size_t scratch_bytes() const override { return std::max(before_.scratch_bytes(), after_.scratch_bytes()); }
  /// Others may write into the output only when the input has been read.
  bool runs_in_place() const override { return !before_.empty(); }
  std::string describe() const override { return text_; }
  std::int64_t bytes_sent() const override {
    std::int64_t bytes = 0;
    for (const auto& exchange : exchanges_) bytes += exchange->bytes_sent();
    return bytes;
  }
  Loss loss() const override {
    Loss sum;
    for (const auto& exchange : exchanges_) sum += exchange->loss();
    return sum;
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
    if (phase == 0 && one_array) before_.run_all(first, stream);
    DeviceBuffers moved{source, result, buffers.scratch, buffers.outs};
    if (!leads) moved.landing = buffers.landing;
    moved.own_is_there = leaves_own || takes_own;
    const int last = phases() - 1;
    for (int k = 0; k < static_cast<int>(exchanges_.size()); ++k) {
      if (phase == 1 && !before_.empty() && !one_array && (before_.chunked() || k == 0)) before_.run(k, first, stream);
      exchanges_[static_cast<std::size_t>(k)]->enqueue(phase, moved, stream);
      if (phase == last && after_.chunked()) after_.run(k, then, stream);
    }
    if (phase == last && !after_.chunked()) after_.run_all(then, stream);
  }

 private:
  /// Every operation of which it is made.
  template <class Member>
  void for_each(const Member& member) const {
    const auto visit = [&](DeviceOperation& operation) { std::invoke(member, operation); };
    before_.for_each(visit);
    for (const auto& exchange : exchanges_) visit(*exchange);
    after_.for_each(visit);
  }
  std::size_t sum_of(std::size_t (DeviceOperation::*bytes)() const) const {
    std::size_t sum = 0;
    for_each([&](const DeviceOperation& operation) { sum += (operation.*bytes)(); });
    return sum;
  }

  End before_, after_;
  std::vector<std::unique_ptr<DeviceOperation>> exchanges_;  ///< one a chunk
  std::string text_;
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
    std::int64_t good = 1;
    team.agree([&] {
      for (const Member& member : team.here()) {
        const device::DeviceScope scope(member.device);
        for (int k = 0; k < chunking.parts; ++k) {
          if (steps.before != nullptr && chunking.ends != ChunkEnds::receiver &&
              !runs_well(part_of(*steps.before, state_after(reversed(*steps.before), from), from, member.rank,
                                 precision, chunking.slice(k))))
            good = 0;
          if (steps.after != nullptr && chunking.ends != ChunkEnds::sender &&
              !runs_well(
                  part_of(*steps.after, to, state_after(*steps.after, to), member.rank, precision, chunking.slice(k))))
            good = 0;
        }
      }
    });
    if (team.min(good) == 1) return chunking;
  }
  return {};
}

MemberOperations make_device_pipeline(const DevicePipelineSetup& setup) {
  Team& team = *setup.reshape.team;
  const Chunking& chunking = setup.chunking;
  std::vector<std::pair<End, End>> ends(team.here().size());
  team.agree([&] {
    for (std::size_t m = 0; m < team.here().size(); ++m) {
      const Member& member = team.here()[m];
      const device::DeviceScope scope(member.device);
      if (setup.before)
        ends[m].first = End(*setup.before, chunking, chunking.ends != ChunkEnds::receiver, member.rank, setup.precision,
                            OwnPoints::Side::output, setup.reshape.to);
      if (setup.after)
        ends[m].second = End(*setup.after, chunking, chunking.ends != ChunkEnds::sender, member.rank, setup.precision,
                             OwnPoints::Side::input, setup.reshape.from);
    }
  });
  std::vector<std::vector<std::unique_ptr<DeviceOperation>>> exchanges(team.here().size());
  for (int k = 0; k < chunking.parts; ++k) {
    DeviceReshapeSetup reshape = setup.reshape;
    reshape.from_slice = chunking.from(k);
    reshape.to_slice = chunking.to(k);
    MemberOperations made = make_device_reshape(setup.exchange, reshape);
    for (std::size_t m = 0; m < made.size(); ++m) exchanges[m].push_back(std::move(made[m]));
  }
  MemberOperations operations;
  for (std::size_t m = 0; m < exchanges.size(); ++m)
    operations.push_back(std::make_unique<DevicePipeline>(std::move(ends[m].first), std::move(ends[m].second),
                                                          std::move(exchanges[m]), shardfft::describe(chunking)));
  return operations;
}

}  // namespace shardfft::gpu
