#include "exec/pipeline.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "exec/fft_operation.hpp"
#include "exec/task_graph.hpp"
#include "lower/chunking.hpp"

namespace shardfft {

namespace {

std::string fft_text(const PipelineFft& fft) {
  return describe_fft(fft_spec(fft.fft.step, fft.fft.before, fft.fft.after, fft.fft.rank, fft.fft.precision));
}

/// The chunks of the transforms and of the reshape between them.
struct Cut {
  Chunking one;                     ///< which serves both ends, or one of them
  std::optional<TwoChunkings> two;  ///< or one for each

  int messages() const { return two ? two->messages() : one.parts; }
  Slice from(int k) const { return two ? two->from(k) : one.from(k); }
  Slice to(int k) const { return two ? two->to(k) : one.to(k); }
  /// How the transform before the reshape, and the one behind it, is cut in chunks. Null: it is not cut.
  const Chunking* before() const { return two ? &two->sender : one.ends == ChunkEnds::receiver ? nullptr : &one; }
  const Chunking* after() const { return two ? &two->receiver : one.ends == ChunkEnds::sender ? nullptr : &one; }
  std::string text() const { return two ? shardfft::describe(*two) : shardfft::describe(one); }
};

class Pipeline : public Operation {
 public:
  Pipeline(const PipelineSetup& setup, const Cut& cut);
  void run(const std::byte* in, std::byte* out, std::byte* scratch) override;
  std::size_t scratch_bytes() const override {
    return sent_array_bytes_ + received_array_bytes_ + static_cast<std::size_t>(in_flight) * exchange_bytes_ +
           fft_bytes();
  }
  std::size_t table_bytes() const override;
  /// As long as the input is not the array that the exchange writes, a barrier is enough.
  bool runs_in_place() const override { return aliased_barrier_ != Barrier::none; }
  /// The transforms record nothing but their own time, so that all else is communication.
  Role role() const override { return Role::moves; }
  bool in_chunks() const override { return true; }
  std::string describe() const override { return text_; }
  std::int64_t bytes_sent() const override { return bytes_sent_; }
  Loss loss() const override {
    Loss sum;
    for (const auto& reshape : reshapes_) sum += reshape->loss();
    return sum;
  }

 private:
  static constexpr int in_flight = 2;

  /// The arrays of one run.
  struct Arrays {
    const std::byte* in;
    std::byte* sent;  ///< before the exchange
    std::byte* received;
    std::byte* out;
    std::byte* exchange;  ///< workspaces of the exchanges under way
    std::byte* fft;       ///< scratch of the transform that runs
  };

  void make_reshapes(const PipelineSetup& setup, const Cut& cut);
  void make_orders(const PipelineSetup& setup, const Cut& cut);
  void make_ffts(const PipelineSetup& setup, const Cut& cut);
  std::size_t fft_bytes() const;
  Arrays arrays(const std::byte* in, std::byte* out, std::byte* scratch) const;
  ExchangeBuffers buffers(const Arrays& arrays, int chunk) const;
  void run_task(const PipelineTask& task, const Arrays& arrays);
  void progress(const Arrays& arrays);

  std::vector<ChunkFft> before_;
  std::vector<std::unique_ptr<Reshape>> reshapes_;
  std::vector<ChunkFft> after_;
  std::vector<PipelineTask> order_;
  std::vector<PipelineTask> aliased_order_;  ///< when in == out
  Barrier aliased_barrier_ = Barrier::none;
  int started_ = 0;  ///< exchanges of the present run
  int finished_ = 0;
  std::size_t sent_array_bytes_ = 0;      ///< of the array between first transform and exchange, if it is in scratch
  std::size_t received_array_bytes_ = 0;  ///< of the array between exchange and last transform
  std::size_t exchange_bytes_ = 0;
  std::int64_t bytes_sent_ = 0;
  std::string text_;
};

Pipeline::Pipeline(const PipelineSetup& setup, const Cut& cut) {
  const int rank = setup.reshape.comm.rank();
  const auto array_bytes = [&](const Layout& layout) {
    return round_up(static_cast<std::size_t>(layout.count(rank)) * setup.reshape.element_bytes, cache_line);
  };
  // Planning a local transform may fail on one rank only, so all agree before the next collective call.
  agree(setup.reshape.comm, [&] { make_ffts(setup, cut); });
  if (setup.before && !setup.before->in_place) sent_array_bytes_ = array_bytes(setup.from);
  if (setup.after && !setup.after->in_place) received_array_bytes_ = array_bytes(setup.to);
  make_reshapes(setup, cut);
  make_orders(setup, cut);
  text_ = "pipeline of " + cut.text() + ": ";
  if (setup.before) text_ += fft_text(*setup.before) + ", ";
  text_ += "reshape by " + setup.reshape.exchange + " in a group of " + std::to_string(reshapes_[0]->group_size()) +
           setup.reshape.numbers.text();
  if (setup.after) text_ += ", " + fft_text(*setup.after);
}

void Pipeline::make_ffts(const PipelineSetup& setup, const Cut& cut) {
  const auto make = [](const std::optional<PipelineFft>& fft, const Chunking* chunking, std::vector<ChunkFft>& all) {
    if (!fft) return;
    for (int k = 0; k < (chunking ? chunking->parts : 1); ++k)
      all.emplace_back(*fft, chunking ? chunking->slice(k) : Slice{});
  };
  make(setup.before, cut.before(), before_);
  make(setup.after, cut.after(), after_);
}

void Pipeline::make_reshapes(const PipelineSetup& setup, const Cut& cut) {
  ReshapeSetup reshape = setup.reshape;
  for (int k = 0; k < cut.messages(); ++k) {
    reshape.from_slice = cut.from(k);
    reshape.to_slice = cut.to(k);
    reshapes_.push_back(std::make_unique<Reshape>(setup.from, setup.to, reshape, setup.trace));
    bytes_sent_ += reshapes_.back()->bytes_sent();
    exchange_bytes_ = std::max(exchange_bytes_, round_up(reshapes_.back()->workspace_bytes(), cache_line));
  }
}

void Pipeline::make_orders(const PipelineSetup& setup, const Cut& cut) {
  using Transform = PipelineShape::Transform;
  PipelineShape shape;
  shape.chunks = cut.messages();
  shape.in_flight = in_flight;
  if (setup.before) shape.before = cut.before() ? Transform::chunked : Transform::whole;
  if (setup.after) shape.after = cut.after() ? Transform::chunked : Transform::whole;
  if (cut.two) {
    shape.head = cut.two->head;
    shape.before_chunks = cut.two->sender.parts;
  }
  order_ = order_tasks(shape);
  // in == out: whoever reads the input must be done before anyone writes the output.
  if (setup.before && !setup.before->in_place)
    aliased_barrier_ = Barrier::before_start;
  else if (setup.after && !setup.after->in_place)
    aliased_barrier_ = Barrier::finish_after;
  shape.barrier = aliased_barrier_;
  aliased_order_ = order_tasks(shape);
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
  for (const auto& reshape : reshapes_) bytes += reshape->table_bytes();
  return bytes;
}

Pipeline::Arrays Pipeline::arrays(const std::byte* in, std::byte* out, std::byte* scratch) const {
  std::byte* const exchange = scratch + sent_array_bytes_ + received_array_bytes_;
  Arrays a{in, scratch, out, out, exchange, exchange + static_cast<std::size_t>(in_flight) * exchange_bytes_};
  // Only the owner of the array may let a transform write it in place.
  if (sent_array_bytes_ == 0) a.sent = const_cast<std::byte*>(in);
  if (received_array_bytes_ > 0) a.received = scratch + sent_array_bytes_;
  return a;
}

ExchangeBuffers Pipeline::buffers(const Arrays& arrays, int chunk) const {
  return {arrays.sent, arrays.received,
          arrays.exchange + static_cast<std::size_t>(chunk % in_flight) * exchange_bytes_};
}

void Pipeline::run(const std::byte* in, std::byte* out, std::byte* scratch) {
  const Arrays a = arrays(in, out, scratch);
  started_ = 0;
  finished_ = 0;
  for (const PipelineTask& task : in == out ? aliased_order_ : order_) run_task(task, a);
}

void Pipeline::run_task(const PipelineTask& task, const Arrays& a) {
  const auto chunk = static_cast<std::size_t>(task.chunk);
  const auto between = [this, &a] { progress(a); };
  switch (task.stage) {
    case Stage::before:
      before_[chunk].run(a.in, a.sent, a.fft, between);
      break;
    case Stage::start:
      reshapes_[chunk]->start(buffers(a, task.chunk));
      ++started_;
      break;
    case Stage::finish:
      reshapes_[chunk]->finish(buffers(a, task.chunk));
      ++finished_;
      break;
    case Stage::after:
      after_[chunk].run(a.received, a.out, a.fft, between);
      break;
  }
}

/// Most MPI libraries move messages only inside their calls.
void Pipeline::progress(const Arrays& a) {
  for (int k = finished_; k < started_; ++k) reshapes_[static_cast<std::size_t>(k)]->progress(buffers(a, k));
}

}  // namespace

std::unique_ptr<Operation> make_pipeline(const PipelineSetup& setup) {
  const ChunkedSteps steps{setup.from, setup.to, setup.before ? &setup.before->fft.step : nullptr,
                           setup.after ? &setup.after->fft.step : nullptr};
  const Cut cut{choose_chunking(steps, setup.chunks), choose_two_chunkings(steps, setup.chunks)};
  return std::make_unique<Pipeline>(setup, cut);
}

}  // namespace shardfft
