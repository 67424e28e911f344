#include "exec/pipeline.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "exec/fft_operation.hpp"
#include "schedule/pipeline.hpp"

namespace shardfft {

namespace {

std::string fft_text(const BundledFftSetup& fft) { return describe_fft(fft_spec(fft, fft.rank, fft.precision)); }

using ChunkFfts = std::vector<ChunkFft>;

/// If in == out, all reads of the input must be done before the output is written. That is enough if the exchange does
/// not write to the input.
Barrier barrier_of(const PipelineSetup& setup) {
  if (setup.before && !setup.before->in_place) return Barrier::before_moves;
  return setup.after && !setup.after->in_place ? Barrier::after_moves : Barrier::none;
}

class Pipeline : public PipelineOf<Operation, ChunkFfts, Reshape> {
 public:
  Pipeline(const PipelineSetup& setup, ChunkFfts before, AllMoves reshapes, ChunkFfts after);
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override;
  std::size_t scratch_bytes() const override {
    return sent_array_bytes_ + received_array_bytes_ + exchanges_bytes() + fft_bytes();
  }
  std::size_t table_bytes() const override;
  std::int64_t messages_sent() const override {
    std::int64_t messages = 0;
    for (const auto& move : moves_) messages += move->messages_sent();
    return messages;
  }
  /// The transforms record only their own time: all other time is communication.
  Role role() const override { return Role::moves; }

 private:
  static constexpr Moves moves{};  ///< begin and end

  /// The arrays of one run.
  struct Arrays {
    const std::byte* in;
    std::byte* sent;  ///< before the exchange
    std::byte* received;
    std::byte* out;
    std::byte* exchange;  ///< workspaces of the exchanges in flight
    std::byte* fft;       ///< scratch of the transform that runs
  };

  std::size_t fft_bytes() const;
  /// Workspaces of the exchanges that may be in flight together.
  std::size_t exchanges_bytes() const {
    return std::min(moves_.size(), static_cast<std::size_t>(moves.in_flight)) * exchange_bytes_;
  }
  Arrays arrays(const std::byte* in, std::byte* out, std::byte* scratch) const;
  ExchangeBuffers buffers(const Arrays& arrays, int chunk) const;
  void progress(const Arrays& arrays);

  int started_ = 0;  ///< exchanges of the present run
  int finished_ = 0;
  std::size_t sent_array_bytes_ = 0;      ///< of the array between first transform and exchange, if it is in scratch
  std::size_t received_array_bytes_ = 0;  ///< of the array between exchange and last transform
  std::size_t exchange_bytes_ = 0;
};

Pipeline::Pipeline(const PipelineSetup& setup, ChunkFfts before, AllMoves reshapes, ChunkFfts after)
    : PipelineOf(setup.pieces, std::move(before), std::move(reshapes), std::move(after), moves, barrier_of(setup)) {
  const int rank = setup.reshape.comm.rank();
  const auto array_bytes = [&](const Layout& layout) {
    return round_up(static_cast<std::size_t>(layout.count(rank)) * setup.reshape.element_bytes, cache_line);
  };
  if (setup.before && !setup.before->in_place) sent_array_bytes_ = array_bytes(setup.from);
  if (setup.after && !setup.after->in_place) received_array_bytes_ = array_bytes(setup.to);
  for (const auto& reshape : moves_)
    exchange_bytes_ = std::max(exchange_bytes_, round_up(reshape->workspace_bytes(), cache_line));
  tell(pieces() != nullptr ? pieces()->text : "", setup.before ? fft_text(*setup.before) : "",
       "reshape by " + setup.reshape.exchange + " in a group of " + std::to_string(moves_.front()->group_size()) +
           setup.reshape.numbers.text(),
       setup.after ? fft_text(*setup.after) : "");
}

std::size_t Pipeline::fft_bytes() const {
  std::size_t most = 0;
  for (const auto* ffts : {&before_, &after_})
    for (const ChunkFft& fft : *ffts) most = std::max(most, fft.scratch_bytes());
  return most;
}

std::size_t Pipeline::table_bytes() const {
  std::size_t bytes = 0;
  for (const auto* ffts : {&before_, &after_})
    for (const ChunkFft& fft : *ffts) bytes += fft.table_bytes();
  for (const auto& reshape : moves_) bytes += reshape->table_bytes();
  return bytes;
}

Pipeline::Arrays Pipeline::arrays(const std::byte* in, std::byte* out, std::byte* scratch) const {
  std::byte* const exchange = scratch + sent_array_bytes_ + received_array_bytes_;
  Arrays a{in, scratch, out, out, exchange, exchange + exchanges_bytes()};
  // Only the owner of the array may let a transform overwrite it.
  if (sent_array_bytes_ == 0) a.sent = const_cast<std::byte*>(in);
  if (received_array_bytes_ > 0) a.received = scratch + sent_array_bytes_;
  return a;
}

ExchangeBuffers Pipeline::buffers(const Arrays& arrays, int chunk) const {
  return {arrays.sent, arrays.received,
          arrays.exchange + static_cast<std::size_t>(chunk % moves.in_flight) * exchange_bytes_};
}

void Pipeline::run(const std::byte* in, std::byte* out, std::byte* scratch) {
  const Arrays a = arrays(in, out, scratch);
  const auto between = [this, &a] { progress(a); };
  started_ = 0;
  finished_ = 0;
  for (int phase = 0; phase < moves.phases; ++phase)
    for (const Turn& turn : turns(phase, in == out)) {
      const auto piece = static_cast<std::size_t>(turn.piece);
      if (turn.stage == Stage::before) {
        before_[piece].run(a.in, a.sent, a.fft, between);
      } else if (turn.stage == Stage::after) {
        after_[piece].run(a.received, a.out, a.fft, between);
      } else if (turn.phase == moves.start()) {
        move(turn).start(buffers(a, turn.piece));
        ++started_;
      } else {
        move(turn).finish(buffers(a, turn.piece));
        ++finished_;
      }
    }
}

/// Most MPI libraries move messages only inside their calls.
void Pipeline::progress(const Arrays& a) {
  for (int k = finished_; k < started_; ++k) moves_[static_cast<std::size_t>(k)]->progress(buffers(a, k));
}

}  // namespace

std::unique_ptr<Operation> make_pipeline(const PipelineSetup& setup) {
  ChunkFfts before, after;
  Alone own(setup.reshape.comm);
  Alone& alone = setup.reshape.alone != nullptr ? *setup.reshape.alone : own;
  // One rank may fail to plan a local transform.
  alone.run([&] {
    for (const Slice& slice : setup.pieces.before) before.emplace_back(*setup.before, slice);
    for (const Slice& slice : setup.pieces.after) after.emplace_back(*setup.after, slice);
  });
  if (setup.reshape.alone == nullptr) own.settle();
  std::vector<std::unique_ptr<Reshape>> reshapes;
  ReshapeSetup reshape = setup.reshape;
  for (const Pieces::Message& message : setup.pieces.messages) {
    reshape.from_slice = message.from;
    reshape.to_slice = message.to;
    reshapes.push_back(std::make_unique<Reshape>(setup.from, setup.to, reshape));
  }
  std::unique_ptr<Operation> made;
  alone.run(
      [&] { made = std::make_unique<Pipeline>(setup, std::move(before), std::move(reshapes), std::move(after)); });
  return made;
}

}  // namespace shardfft
