// The fused step: a bundle of lines is gathered from its owners' memory into cache, transformed there, and written
// once to its place. No pack, no message, no unpack.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "exec/fft_operation.hpp"
#include "exec/host_reshape.hpp"
#include "pack/pack.hpp"

namespace shardfft {

namespace {

/// Bytes of a bundle: half of a core's own cache, the other half is for what passes through.
std::int64_t bundle_budget() {
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return l2 > 0 ? l2 / 2 : 512 * 1024;
}

/// How the rank's piece is cut: block sizes along its axes (transformed axes whole).
std::array<std::int64_t, max_axes> choose_blocks(const Piece& piece, const std::vector<int>& axes,
                                                 std::size_t element_bytes) {
  std::array<std::int64_t, max_axes> block{};
  block.fill(1);
  std::int64_t room = bundle_budget() / static_cast<std::int64_t>(element_bytes);
  std::vector<std::size_t> batch;
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a) {
    if (std::find(axes.begin(), axes.end(), static_cast<int>(a)) == axes.end()) {
      batch.push_back(a);
      continue;
    }
    block[a] = piece.set.axis[a].count;
    room /= std::max<std::int64_t>(1, block[a]);
  }
  std::sort(batch.begin(), batch.end(), [&](std::size_t a, std::size_t b) { return piece.stride[a] < piece.stride[b]; });
  for (const std::size_t a : batch) {
    block[a] = std::clamp<std::int64_t>(room, 1, piece.set.axis[a].count);
    // Near-equal blocks instead of a small last one.
    const std::int64_t blocks = (piece.set.axis[a].count + block[a] - 1) / block[a];
    block[a] = (piece.set.axis[a].count + blocks - 1) / blocks;
    room /= block[a];
  }
  return block;
}

/// Dense in the memory order of `like`, rows kept off the strides that fall into one cache set.
Piece scratch_piece(const IndexSet& set, const Piece& like, std::size_t element_bytes) {
  std::vector<std::size_t> order;
  for (std::size_t a = 0; a < static_cast<std::size_t>(set.axes); ++a) order.push_back(a);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return like.stride[a] < like.stride[b]; });
  Piece piece{set, 0, {}};
  std::int64_t stride = 1;
  for (const std::size_t a : order) {
    piece.stride[a] = stride;
    stride *= set.axis[a].count;
    const std::int64_t bytes = stride * static_cast<std::int64_t>(element_bytes);
    if (set.axis[a].count > 1 && bytes % 1024 == 0) stride += static_cast<std::int64_t>(cache_line / element_bytes);
  }
  return piece;
}

std::int64_t extent_of(const Piece& piece) {
  std::int64_t last = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.set.axes); ++a)
    last += (piece.set.axis[a].count - 1) * piece.stride[a];
  return last + 1;
}

struct Bundle {
  std::vector<PeerCopy> sources;
  std::int64_t out_offset = 0;
  const LocalFft* fft = nullptr;
};

class GatherFft : public Operation {
 public:
  GatherFft(const HostReshapeSetup& setup, const FusedFft& fft) : setup_(setup), sources_(setup) {
    out_bytes_ = ElementType{fft.precision, fft.after.is_complex}.bytes();
    const auto pieces = setup.to.pieces(setup.rank);
    const auto results = fft.after.layout.pieces(setup.rank);
    if (!pieces.empty() && !results.empty()) cut(pieces.front(), results.front(), fft);
    scratch_ = allocate_aligned(static_cast<std::size_t>(setup.threads) * bundle_bytes_);
  }

  void run(const std::byte* in, std::byte* out, std::byte*) override {
    sources_.open(in);
    const auto count = static_cast<std::int64_t>(bundles_.size());
    if (setup_.threads == 1) {
      for (std::int64_t i = 0; i < count; ++i) run_bundle(bundles_[static_cast<std::size_t>(i)], out, scratch_.get());
    } else {
#pragma omp parallel for num_threads(setup_.threads) schedule(static)
      for (std::int64_t i = 0; i < count; ++i)
        run_bundle(bundles_[static_cast<std::size_t>(i)], out,
                   scratch_.get() + static_cast<std::size_t>(omp_get_thread_num()) * bundle_bytes_);
    }
    sources_.close();
  }

  bool reads_host_memory() const override { return true; }
  void wait_readers() override { sources_.wait_readers(); }
  std::string describe() const override {
    return "gather from shared memory and " + text_ + ", " + std::to_string(bundles_.size()) + " bundles of " +
           std::to_string(bundle_bytes_ / 1024) + " KiB";
  }

 private:
  void run_bundle(const Bundle& bundle, std::byte* out, std::byte* scratch) {
    // Only the first thread's time is recorded: the trace belongs to the rank.
    Trace* trace = setup_.threads == 1 || omp_get_thread_num() == 0 ? setup_.trace : nullptr;
    {
      const Scope scope(trace, Activity::exchange);
      for (const PeerCopy& c : bundle.sources)
        copy_box(sources_.of(c.peer), c.boxes.from, scratch, c.boxes.to, setup_.element_bytes, 1);
    }
    const Scope scope(trace, Activity::fft);
    bundle.fft->execute(scratch, out + bundle.out_offset * static_cast<std::int64_t>(out_bytes_));
  }

  /// Cuts the rank's piece in bundles, one block after the other along the batch axes.
  void cut(const Piece& piece, const Piece& result, const FusedFft& fft) {
    const auto block = choose_blocks(piece, fft.step.axes, setup_.element_bytes);
    const auto axes = static_cast<std::size_t>(piece.set.axes);
    std::array<std::int64_t, max_axes> at{};
    while (true) {
      IndexSet set = piece.set;
      std::int64_t offset = result.offset;
      for (std::size_t a = 0; a < axes; ++a) {
        const Progression& own = piece.set.axis[a];
        const std::int64_t first = at[a] * block[a];
        set.axis[a] = {own.at(first), std::min(block[a], own.count - first), own.stride};
        offset += first * result.stride[a];
      }
      add_bundle(set, piece, result, offset, fft);
      std::size_t a = axes;
      while (a > 0) {
        --a;
        if (++at[a] * block[a] < piece.set.axis[a].count) break;
        at[a] = 0;
        if (a == 0) return;
      }
    }
  }

  void add_bundle(const IndexSet& set, const Piece& piece, const Piece& result, std::int64_t out_offset,
                  const FusedFft& fft) {
    const Piece scratch = scratch_piece(set, piece, setup_.element_bytes);
    Bundle bundle;
    bundle.sources = gather_boxes(setup_.from, scratch);
    bundle.out_offset = out_offset;
    std::vector<std::int64_t> shape;
    for (std::size_t a = 0; a < static_cast<std::size_t>(set.axes); ++a) shape.push_back(set.axis[a].count);
    auto& planned = ffts_[shape];
    if (!planned) planned = plan_bundle(scratch, result, fft);
    bundle.fft = planned.get();
    bundle_bytes_ = std::max(bundle_bytes_, round_up(static_cast<std::size_t>(extent_of(scratch)) * setup_.element_bytes,
                                                     cache_line));
    bundles_.push_back(std::move(bundle));
  }

  std::unique_ptr<LocalFft> plan_bundle(const Piece& scratch, const Piece& result, const FusedFft& fft) {
    FftSpec spec = fft_spec_between(fft.step, scratch, result, fft.direction, fft.precision);
    spec.scale = fft.scale;
    spec.effort = fft.effort;
    spec.preserve_input = false;
    spec.threads = 1;
    if (text_.empty()) text_ = describe_fft(spec);
    return make_local_fft(fft.backend, spec);
  }

  HostReshapeSetup setup_;
  HostSources sources_;
  std::size_t out_bytes_ = 16;
  std::size_t bundle_bytes_ = cache_line;
  std::map<std::vector<std::int64_t>, std::unique_ptr<LocalFft>> ffts_;
  std::vector<Bundle> bundles_;
  AlignedMemory scratch_;
  std::string text_;
};

}  // namespace

std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& setup, const FusedFft& fft) {
  return std::make_unique<GatherFft>(setup, fft);
}

}  // namespace shardfft
