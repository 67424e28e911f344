#include "gpu/run/pipeline.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/copy_box.hpp"
#include "gpu/check/device_check.hpp"
#include "gpu/run/pipeline_end.hpp"
#include "schedule/pipeline.hpp"

namespace shardfft::gpu {

namespace {

/// For a member: by piece and by message, whether its bytes in the arrays before and behind the reshape are in the
/// workspace, because the array is divided.
struct InTail {
  struct Flags {
    std::vector<bool> before{}, messages{}, after{};
  };
  Flags sent{}, received{};

  InTail(const PipelineArrays& arrays, const Joined& steps, const Pieces& pieces, int rank, Precision precision) {
    for (const bool behind : {false, true}) {
      const DividedArray* const divided = (behind ? arrays.result : arrays.source).get();
      if (divided == nullptr) continue;
      const UsedBytes used = used_bytes(steps, pieces, rank, precision, behind);
      Flags& flags = behind ? received : sent;
      flags.before = in_tail(*divided, rank, used.before);
      flags.messages = in_tail(*divided, rank, used.messages);
      flags.after = in_tail(*divided, rank, used.after);
    }
  }
};

/// Has the phases of its exchange, which announces. The transforms keep the stream busy; copies run on the exchange's
/// own streams.
class DevicePipeline : public PipelineOf<JointOperation, PipelineEnd, DeviceOperation> {
 public:
  /// `check`: of the reshape, or null. If others write into the input, this member reads it before it says that they
  /// may. If the last transform writes over the input (`last_out_of_place`), or over outgoing data in the output
  /// (`from_output`), that data is sent before.
  DevicePipeline(PipelineEnd before, AllMoves exchanges, PipelineEnd after, std::unique_ptr<DeviceCheck> check,
                 const Pieces& pieces, const Moves& how, int rank, const PipelineArrays& arrays, InTail in_tail,
                 std::optional<StagingBuffer> staging)
      : PipelineOf(pieces, std::move(before), std::move(exchanges), std::move(after), how,
                   arrays.from_output()       ? Barrier::after_moves
                   : !pieces.before.empty()   ? Barrier::before_moves
                   : arrays.last_out_of_place ? Barrier::after_moves
                                              : Barrier::none),
        check_(std::move(check)),
        rank_(rank),
        from_output_(arrays.from_output()),
        starts_in_place_(arrays.source ? arrays.source->follows_input
                                       : !arrays.source_in_output || before_.runs_in_place()),
        in_tail_(std::move(in_tail)),
        staging_(std::move(staging)) {
    const Moved by_first = before_.moves(), by_last = by_first == Moved::nothing ? after_.moves() : Moved::nothing;
    tell(pieces.text,
         before_.text() + (by_first == Moved::all   ? " (stores into the peers)"
                           : by_first == Moved::own ? " (leaves the own part in place)"
                                                    : ""),
         moves_.front()->describe() + (by_first == Moved::all ? " for calls in place"
                                       : pieces.moves() > 1   ? " a chunk"
                                                              : ""),
         after_.text() + (by_last == Moved::own ? " (takes the own part from its place)" : ""));
  }

  int phases() const override { return moves_.front()->phases(); }
  bool announces() const override { return true; }
  bool runs_in_place() const override { return starts_in_place_ && (from_output_ || waits_for_input()); }
  PeersWrite peers_write() const override { return PeersWrite::result; }
  Activity activity() const override { return Activity::other; }
  std::size_t scratch_bytes() const override { return std::max(before_.scratch_bytes(), after_.scratch_bytes()); }
  /// The data that pieces before the reshape wrote, on all ranks, must be the data that pieces behind it read.
  DeviceChecks make_checks() override {
    DeviceChecks checks;
    if (auto before = before_.make_check()) checks.push_back(std::move(before));
    checks.push_back(std::move(check_));
    if (auto after = after_.make_check()) checks.push_back(std::move(after));
    return checks;
  }
  void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) override {
    const bool others_write = buffers.one_array && waits_for_input() && !from_output_;  // into the input
    const bool waits = from_output_ ? !staging_ : others_write;
    std::byte* const source = before_.empty() ? const_cast<std::byte*>(buffers.in)  // only read
                                              : buffers.middle;
    const Moved by_first = others_write ? Moved::nothing : before_.moves();
    const bool last_reads_own =
        by_first == Moved::nothing && after_.moves() == Moved::own && !(others_write && before_.empty());
    // If data is received outside of the output, the last transform or else the exchange moves it there.
    const bool last_out_of_place = buffers.receive_buffer != nullptr && !after_.empty();
    std::byte* const result = last_out_of_place ? buffers.receive_buffer : buffers.out;  // of the exchange
    std::vector<std::byte*> other_end(buffers.outs.begin(), buffers.outs.end());         // empty if phase 0 comes early
    EndBuffers first{buffers.in, buffers.middle, buffers.scratch}, then{result, buffers.out, buffers.scratch};
    if (by_first != Moved::nothing) first.other_end = other_end;
    if (last_reads_own) then.other_end = other_end;
    DeviceBuffers moved{source, result, buffers.scratch, buffers.outs};
    if (!last_out_of_place) moved.receive_buffer = buffers.receive_buffer;
    moved.one_array = buffers.one_array || buffers.in == buffers.middle;  // then passes may run other kernels
    moved.moved = last_reads_own ? Moved::own : by_first;
    moved.out_tails = buffers.out_tails;
    std::byte* const received_tail =
        buffers.out_tails.empty() ? nullptr : buffers.out_tails[static_cast<std::size_t>(rank_)];
    const auto at = [](const std::vector<bool>& in_tail, std::size_t number, std::byte* array, std::byte* tail) {
      return !in_tail.empty() && in_tail[number] ? tail : array;
    };
    const auto set_own = [&](std::byte* array) {
      if (!other_end.empty()) other_end[static_cast<std::size_t>(rank_)] = array;
    };
    for (const Turn& turn : turns(phase, waits)) {
      const auto number = static_cast<std::size_t>(turn.piece);
      switch (turn.stage) {
        case Stage::before:
          first.out = at(in_tail_.sent.before, number, buffers.middle, buffers.sent_tail);
          if (buffers.in == buffers.middle) first.in = first.out;
          set_own(at(in_tail_.received.before, number, result, received_tail));
          if (staging_) {
            first.out = place_of(staging_->pieces[number], buffers);
            for (std::size_t q = 0; q < other_end.size(); ++q)
              if (staging_->packs() && q != static_cast<std::size_t>(rank_)) other_end[q] = first.out;
            await_place(number, stream);
          }
          if (by_first == Moved::all) moves_.front()->await_receivers(stream);
          before_.run(turn.piece, first, stream);
          if (staging_ && turn.piece + 1 == before_.pieces()) copy_last_message(buffers, stream);
          break;
        case Stage::move:
          moved.in = staging_ ? place_of(staging_->messages[number], buffers)
                              : at(in_tail_.sent.messages, number, source, buffers.sent_tail);
          moved.out = at(in_tail_.received.messages, number, result, received_tail);
          move(turn).enqueue(phase, moved, stream);
          break;
        case Stage::after:
          then.in = at(in_tail_.received.after, number, result, received_tail);
          if (!last_out_of_place) then.out = const_cast<std::byte*>(then.in);
          set_own(at(in_tail_.sent.after, number, source, buffers.sent_tail));
          after_.run(turn.piece, then, stream);
          break;
      }
    }
  }

 private:
  /// Whether turns can wait until the input is read. Not with a staging buffer: it fills the output with data that
  /// waits.
  bool waits_for_input() const { return !staging_ && PipelineOf::runs_in_place(); }
  static std::byte* place_of(const StagingBuffer::Place& place, const DeviceBuffers& buffers) {
    return (place.in_output ? buffers.result : buffers.middle) + place.begin;
  }
  /// Waits until the data in the place of a piece is sent. Messages leave on several streams: none tells that those
  /// before it are sent.
  void await_place(std::size_t piece, device::StreamHandle stream) {
    for (int m = 0; m <= staging_->waits[piece]; ++m) moves_[static_cast<std::size_t>(m)]->await_sent(stream);
  }
  void copy_last_message(const DeviceBuffers& buffers, device::StreamHandle stream) const {
    if (staging_->last_copies.empty()) return;
    const StagingBuffer::Place &there = staging_->messages.back(),
                               &here = staging_->messages[staging_->messages.size() - 2];
    for (const LocalCopy& copy : staging_->last_copies)
      device::copy_box(place_of(here, buffers), copy.from, place_of(there, buffers), copy.to, staging_->element_bytes,
                       stream);
  }
  void for_each(const std::function<void(DeviceOperation&)>& visit) const override {
    before_.for_each(visit);
    for (const auto& exchange : moves_) visit(*exchange);
    after_.for_each(visit);
  }

  std::unique_ptr<DeviceCheck> check_;  ///< of the reshape, until make_checks() takes it
  int rank_;
  bool from_output_;      ///< messages leave from the array that the last transform writes
  bool starts_in_place_;  ///< the input may be the output, as far as the first transform goes
  InTail in_tail_;
  std::optional<StagingBuffer> staging_;  ///< the places of outgoing data in the output
};

/// The parts of a member's pipeline operation.
struct Made {
  PipelineEnd before, after;
  std::unique_ptr<DeviceCheck> check;
  std::optional<StagingBuffer> staging{};
  std::vector<std::unique_ptr<DeviceOperation>> exchanges{};
};

/// Lets all members choose alike: only ways that all of them can go. Collective.
class Making {
 public:
  Making(const ExecutorSetup& setup, Team& team, const Joined& steps) : setup_(setup), team_(team), steps_(steps) {}

  bool all_can(const std::function<bool(std::size_t)>& can) const {
    return team_.agreed_least([&] {
      bool all = true;
      for (std::size_t m = 0; m < team_.here().size(); ++m) {
        const device::DeviceScope scope(team_.here()[m].device);
        all = can(m) && all;
      }
      return std::int64_t{all};
    }) == 1;
  }
  int rank(std::size_t member) const { return team_.here()[member].rank; }
  /// The ends in these pieces, at the places of `staging`, by member; without staging, at those of the reshape's
  /// layouts.
  std::vector<Made> ends(const Pieces& pieces, const std::vector<std::optional<StagingBuffer>>& staging) const {
    return team_.for_members([&](std::size_t m) {
      Made made;
      const StagingBuffer* const own = staging.empty() ? nullptr : &*staging[m];
      const Layout &from = steps_.from.layout, &to = steps_.to.layout;
      if (steps_.before)
        made.before = PipelineEnd(*steps_.before, setup_, pieces, rank(m), LineOwners::Side::output, to, own);
      if (steps_.after) made.after = PipelineEnd(*steps_.after, setup_, pieces, rank(m), LineOwners::Side::input, from);
      if (!staging.empty()) made.staging = staging[m];
      return made;
    });
  }
  /// Whether passes at one end can move this part on all members. Some may move their own part even if others cannot.
  bool accept(std::vector<Made>& all, PipelineEnd Made::*end, Moved what) const {
    return all_can([&](std::size_t m) { return (all[m].*end).accept(what); });
  }
  /// Sends data from its place in the output, if it has one there: unchanged, or packed.
  bool send_from_output(std::vector<Made>& all, const Pieces& pieces, bool packed, const PipelineArrays& arrays) const {
    const bool can = all_can([&](std::size_t m) {
      Made& made = all[m];
      std::optional<std::int64_t> room;
      if (!arrays.free_output.empty()) room = arrays.free_output[static_cast<std::size_t>(rank(m))];
      made.staging = staging_buffer_of(steps_, pieces, rank(m), setup_.precision, packed, arrays.from_output(), room);
      return made.staging && (!packed || made.before.accept(made.staging->owners));
    });
    if (can) return true;
    for (Made& made : all) made.staging.reset();
    if (packed) accept(all, &Made::before, Moved::own);
    return false;
  }
  /// Tries to place all outgoing data in the output, except the last message's. Changes `pieces` to match, and returns
  /// all ends; none if that is impossible.
  std::vector<Made> spread(Pieces& pieces) const {
    constexpr int most = 15;
    for (int sixteenths = 1; sixteenths <= most; ++sixteenths) {
      const std::optional<Pieces> split = split_last(pieces, sixteenths);
      if (!split) return {};
      const auto staged = [&](const Member& member) {
        return spread_staging_buffer_of(steps_, *split, member.rank, setup_.precision);
      };
      if (!team_.all_of([&](const Member& member) { return staged(member).has_value(); })) continue;
      std::vector<std::optional<StagingBuffer>> staging;
      for (const Member& member : team_.here()) staging.push_back(staged(member));
      std::vector<Made> all = ends(*split, staging);
      if (!accept(all, &Made::before, Moved::own)) return {};
      pieces = *split;
      return all;
    }
    return {};
  }

 private:
  const ExecutorSetup& setup_;
  Team& team_;
  const Joined& steps_;
};

}  // namespace

DevicePipelines make_device_pipeline(const ExecutorSetup& setup, Team& team, const Joined& steps, const Pieces& wanted,
                                     const PipelineArrays& arrays) {
  const bool from_output = arrays.from_output();
  const Layout &from = steps.from.layout, &to = steps.to.layout;
  const Making making(setup, team, steps);
  Pieces pieces = wanted;
  std::vector<Made> all = making.ends(pieces, {});
  const bool stores = pieces.stores && making.accept(all, &Made::before, Moved::all);
  const bool stores_own = !stores && making.accept(all, &Made::before, Moved::own);
  if (stores_own && arrays.may_wait && !making.send_from_output(all, pieces, true, arrays)) {
    const bool overflows = !making.send_from_output(all, pieces, false, arrays) ||
                           !making.all_can([&](std::size_t m) { return all[m].staging->overflow_bytes == 0; });
    std::vector<Made> spread;
    if (overflows && !from_output && arrays.free_output.empty()) spread = making.spread(pieces);
    if (!spread.empty()) all = std::move(spread);
  }
  if (!from_output) making.accept(all, &Made::after, Moved::own);
  DeviceReshapeSetup reshape{&team,      from,   to,           element_bytes(steps.from, setup.precision),
                             Peers::all, stores, arrays.result};
  if (all.front().staging)
    for (const StagingBuffer::Place& place : all.front().staging->messages) reshape.sources.push_back(place.layout);
  for (MemberOperations& message : make_device_messages(setup.way.exchange, reshape, pieces.messages))
    for (std::size_t m = 0; m < all.size(); ++m) all[m].exchanges.push_back(std::move(message[m]));
  if (setup.options.verify)
    for (std::size_t m = 0; m < all.size(); ++m)
      all[m].check = make_device_move_check(from, to, team.here()[m].rank, element_bytes(steps.from, setup.precision));
  DevicePipelines pipelines;
  for (std::size_t m = 0; m < all.size(); ++m) {
    Made& made = all[m];
    if (made.staging && !from_output)
      pipelines.waiting_bytes =
          std::max(pipelines.waiting_bytes.value_or(0), static_cast<std::size_t>(made.staging->overflow_bytes));
    const Moves how{made.exchanges.front()->phases(), 0, true};
    pipelines.operations.push_back(std::make_unique<DevicePipeline>(
        std::move(made.before), std::move(made.exchanges), std::move(made.after), std::move(made.check), pieces, how,
        team.here()[m].rank, arrays, InTail(arrays, steps, pieces, team.here()[m].rank, setup.precision),
        std::move(made.staging)));
  }
  return pipelines;
}

}  // namespace shardfft::gpu
