#include "exec/chunk_fft.hpp"

#include <algorithm>
#include <atomic>

#include "base/team.hpp"
#include "exec/fft_operation.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// The slowest axis in memory that is not transformed and has several indices, or -1.
int block_axis(const Piece& piece, const TransformStep& step) {
  int best = -1;
  for (int axis = 0; axis < piece.set.axes; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (piece.set.axis[a].count < 2 || step.has(axis)) continue;
    if (best < 0 || piece.stride[a] > piece.stride[static_cast<std::size_t>(best)]) best = axis;
  }
  return best;
}

/// `whole`, reduced to this piece of this rank.
Layout only(const Layout& whole, int rank, const Piece& piece) {
  return Layout::from_pieces(whole.shape(), whole.ranks(), [rank, piece](int r) {
    return r == rank ? std::vector<Piece>{piece} : std::vector<Piece>{};
  });
}

}  // namespace

ChunkFft::ChunkFft(const BundledFftSetup& setup, const Slice& slice) : trace_(setup.trace) {
  const Piece in = sliced(only_piece(setup.before.layout, setup.rank), slice);
  const Piece out = sliced(only_piece(setup.after.layout, setup.rank), slice);
  if (in.set.empty() || out.set.empty()) return;
  Slice block{block_axis(in, setup.step), 1, 0};
  if (block.axis >= 0) {
    const auto bytes = in.set.count() * static_cast<std::int64_t>(element_bytes(setup.before, setup.precision));
    const std::int64_t tasks = 2 * std::int64_t{setup.threads};
    const std::int64_t most = in.set.axis[static_cast<std::size_t>(block.axis)].count;
    block.parts =
        std::clamp<std::int64_t>(bytes / setup.block_bytes, 1, std::min(host_defaults().most_chunk_blocks, most));
    // Enough blocks for all threads; else each block is one transform by many threads.
    if (setup.threads > 1 && most >= tasks && bytes / tasks >= setup.block_bytes / 64) {
      task_threads_ = setup.threads;
      block.parts = std::max(block.parts, tasks);
    }
  }
  for (; block.index < block.parts; ++block.index) add_block(setup, sliced(in, block), sliced(out, block));
}

void ChunkFft::add_block(const BundledFftSetup& setup, const Piece& in, const Piece& out) {
  BundledFftSetup bundled = setup;
  bundled.trace = nullptr;
  if (task_threads_ > 1) bundled.threads = 1;
  bundled.before.layout = only(setup.before.layout, setup.rank, in);
  bundled.to = bundled.after.layout = only(setup.after.layout, setup.rank, out);
  if (BundledFft::worth_it(bundled)) {
    blocks_.push_back({std::make_unique<BundledFft>(bundled), 0, 0});
    return;
  }
  FftSpec spec = fft_spec_between(setup.step, in, out, setup.precision, setup.before.is_complex);
  spec.scale = setup.scale;
  spec.threads = bundled.threads;
  spec.effort = setup.effort;
  spec.preserve_input = setup.preserve_input;
  const auto in_offset = in.offset * static_cast<std::int64_t>(element_bytes(setup.before, setup.precision));
  const auto out_offset = out.offset * static_cast<std::int64_t>(element_bytes(setup.after, setup.precision));
  spec.aligned = in_offset % 16 == 0 && out_offset % 16 == 0;
  blocks_.push_back({std::make_unique<FftOperation>(spec, setup.ffts, setup.in_place, !setup.in_place, nullptr),
                     in_offset, out_offset});
}

std::size_t ChunkFft::block_bytes() const {
  std::size_t most = 0;
  for (const Block& block : blocks_) most = std::max(most, block.fft->scratch_bytes());
  return most;
}

std::size_t ChunkFft::scratch_bytes() const { return static_cast<std::size_t>(task_threads_) * block_bytes(); }

std::size_t ChunkFft::table_bytes() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.fft->table_bytes();
  return bytes;
}

void ChunkFft::run_block(const Block& block, const std::byte* in, std::byte* out, std::byte* scratch,
                         Trace* trace) const {
  const Scope scope(trace, Activity::fft);
  block.fft->run(in + block.in, out + block.out, scratch);
}

void ChunkFft::run(const std::byte* in, std::byte* out, std::byte* scratch,
                   const std::function<void()>& between) const {
  if (task_threads_ > 1) {
    run_tasks(in, out, scratch, between);
    return;
  }
  for (const Block& block : blocks_) {
    run_block(block, in, out, scratch, trace_);
    between();
  }
}

/// Each thread takes the next block until none is left. Only the calling thread calls MPI, which need not support
/// threads, and only its time is recorded.
void ChunkFft::run_tasks(const std::byte* in, std::byte* out, std::byte* scratch,
                         const std::function<void()>& between) const {
  const std::size_t bytes = block_bytes();
  std::atomic<std::size_t> next{0};
  run_team(task_threads_, [&](int thread) {
    const bool caller = thread == 0;
    for (std::size_t i = next++; i < blocks_.size(); i = next++) {
      run_block(blocks_[i], in, out, scratch + static_cast<std::size_t>(thread) * bytes, caller ? trace_ : nullptr);
      if (caller) between();
    }
  });
}

}  // namespace shardfft
