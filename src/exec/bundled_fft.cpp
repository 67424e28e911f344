#include "exec/bundled_fft.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/team.hpp"
#include "exec/fft_operation.hpp"
#include "pack/pack.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

std::int64_t own_cache_bytes() {
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return l2 > 0 ? l2 : host_defaults().own_cache_bytes;
}

bool is_transformed(const FftStep& step, std::size_t axis) {
  return std::find(step.axes.begin(), step.axes.end(), static_cast<int>(axis)) != step.axes.end();
}

std::vector<std::size_t> axes_of(const Piece& piece) {
  std::vector<std::size_t> axes(static_cast<std::size_t>(piece.set.axes));
  for (std::size_t a = 0; a < axes.size(); ++a) axes[a] = a;
  return axes;
}

/// From the fastest to the slowest in memory.
std::vector<std::size_t> fastest_first(const Piece& piece) {
  std::vector<std::size_t> axes = axes_of(piece);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return piece.stride[a] < piece.stride[b]; });
  return axes;
}

/// Block sizes along the axes of a piece: transformed axes whole, the others as far as a bundle's share of the cache
/// goes.
std::array<std::int64_t, max_axes> choose_blocks(const Piece& piece, const FftStep& step, std::size_t element_bytes) {
  std::array<std::int64_t, max_axes> block{};
  block.fill(1);
  std::int64_t room =
      own_cache_bytes() / host_defaults().bundles_in_own_cache / static_cast<std::int64_t>(element_bytes);
  for (const std::size_t a : axes_of(piece))
    if (is_transformed(step, a)) {
      block[a] = piece.set.axis[a].count;
      room /= std::max<std::int64_t>(1, block[a]);
    }
  for (const std::size_t a : fastest_first(piece)) {
    if (is_transformed(step, a)) continue;
    const std::int64_t count = piece.set.axis[a].count;
    const std::int64_t blocks = (count - 1) / std::clamp<std::int64_t>(room, 1, count) + 1;
    block[a] = (count - 1) / blocks + 1;  // near-equal blocks instead of a small last one
    room /= block[a];
  }
  return block;
}

/// Dense in the memory order of `like`, with rows kept off the strides that fall into one cache set.
Piece scratch_piece(const IndexSet& set, const Piece& like, std::size_t element_bytes) {
  Piece piece{set, 0, {}};
  std::int64_t stride = 1;
  for (const std::size_t a : fastest_first(like)) {
    piece.stride[a] = stride;
    stride *= set.axis[a].count;
    const std::int64_t bytes = stride * static_cast<std::int64_t>(element_bytes);
    if (set.axis[a].count > 1 && bytes % 512 == 0) stride += static_cast<std::int64_t>(cache_line / element_bytes);
  }
  return piece;
}

std::size_t extent_bytes(const Piece& piece, std::size_t element_bytes) {
  std::int64_t last = 0;
  for (const std::size_t a : axes_of(piece)) last += (piece.set.axis[a].count - 1) * piece.stride[a];
  return round_up(static_cast<std::size_t>(last + 1) * element_bytes, cache_line);
}

}  // namespace

bool BundledFft::worth_it(const BundledFftSetup& setup) {
  const auto pieces = setup.before.layout.pieces(setup.rank);
  if (pieces.size() != 1) return false;
  std::int64_t line = static_cast<std::int64_t>(ElementType{setup.precision, setup.before.is_complex}.bytes());
  const std::int64_t all = line * pieces.front().set.count();
  for (const int a : setup.step.axes) line *= pieces.front().set.axis[static_cast<std::size_t>(a)].count;
  return line <= 2 * own_cache_bytes() && all > own_cache_bytes();
}

BundledFft::BundledFft(const BundledFftSetup& setup)
    : setup_(setup),
      in_bytes_(ElementType{setup.precision, setup.before.is_complex}.bytes()),
      out_bytes_(ElementType{setup.precision, setup.after.is_complex}.bytes()) {
  const auto pieces = setup.before.layout.pieces(setup.rank);
  const auto results = setup.after.layout.pieces(setup.rank);
  if (pieces.size() > 1 || results.size() > 1) fail(Status::internal, "transforms need one index set a rank");
  if (!pieces.empty() && !results.empty()) {
    stream_ =
        static_cast<std::size_t>(results.front().set.count()) * out_bytes_ >= host_defaults().bytes_to_write_past_cache;
    cut(pieces.front(), results.front());
  }
  scratch_ = allocate_aligned(static_cast<std::size_t>(setup.threads) * (line_bytes_ + result_bytes_));
}

void BundledFft::cut(const Piece& piece, const Piece& result) {
  const auto block = choose_blocks(piece, setup_.step, std::max(in_bytes_, out_bytes_));
  const auto axes = static_cast<std::size_t>(piece.set.axes);
  std::array<std::int64_t, max_axes> at{};
  while (true) {
    IndexSet set = piece.set;
    for (std::size_t a = 0; a < axes; ++a) {
      const Progression& own = piece.set.axis[a];
      const std::int64_t first = at[a] * block[a];
      set.axis[a] = {own.at(first), std::min(block[a], own.count - first), own.stride};
    }
    add(set, piece, result);
    std::size_t a = axes;
    while (a > 0 && ++at[a - 1] * block[a - 1] >= piece.set.axis[a - 1].count) at[--a] = 0;
    if (a == 0) return;
  }
}

void BundledFft::add(const IndexSet& set, const Piece& piece, const Piece& result) {
  // The transform changes the extent of a halved axis and nothing else.
  IndexSet result_set = set;
  for (const int a : setup_.step.axes)
    result_set.axis[static_cast<std::size_t>(a)] = result.set.axis[static_cast<std::size_t>(a)];
  const Piece lines = scratch_piece(set, piece, in_bytes_);
  const bool in_place = setup_.step.kind == Kind::c2c;
  const Piece results = in_place ? lines : scratch_piece(result_set, result, out_bytes_);
  std::vector<std::int64_t> shape;
  for (const std::size_t a : axes_of(piece)) shape.push_back(set.axis[a].count);
  auto& fft = ffts_[shape];
  if (!fft) {
    FftSpec spec = fft_spec_between(setup_.step, lines, results, setup_.precision);
    spec.scale = setup_.scale;
    spec.effort = setup_.effort;
    spec.preserve_input = false;
    spec.in_place = in_place;
    fft = setup_.ffts->add(spec, setup_.threads);
    if (text_.empty()) text_ = describe_fft(spec);
  }
  fft->add_calls(1);
  line_bytes_ = std::max(line_bytes_, extent_bytes(lines, in_bytes_));
  if (!in_place) result_bytes_ = std::max(result_bytes_, extent_bytes(results, out_bytes_));
  bundles_.push_back({gather_boxes(setup_.from, lines), copy_between(results, result, result_set), fft.get()});
}

void BundledFft::copy_lines(const std::byte* source, const PeerCopy& copy, std::byte* lines) const {
  copy_box(source, copy.boxes.from, lines, copy.boxes.to, in_bytes_, 1);
}

void BundledFft::run_bundle(const Bundle& bundle, const Fetch& fetch, std::byte* out, std::byte* scratch,
                            Trace* trace) const {
  std::byte* const result = result_bytes_ > 0 ? scratch + line_bytes_ : scratch;
  {
    const Scope scope(trace, Activity::exchange);
    for (const PeerCopy& c : bundle.gather) fetch(c, scratch);
  }
  {
    const Scope scope(trace, Activity::fft);
    bundle.fft->execute(scratch, result);
  }
  const Scope scope(trace, Activity::copy);
  if (stream_)
    stream_box(result, bundle.store.from, out, bundle.store.to, out_bytes_);
  else
    copy_box(result, bundle.store.from, out, bundle.store.to, out_bytes_, 1);
}

void BundledFft::run(const Fetch& fetch, std::byte* out) {
  run_team(setup_.threads, [&](int thread) {
    // Only one thread's time is recorded: the trace belongs to the rank.
    Trace* const trace = thread == 0 ? setup_.trace : nullptr;
    std::byte* const scratch = scratch_.get() + static_cast<std::size_t>(thread) * (line_bytes_ + result_bytes_);
    const Share share = share_of(static_cast<std::int64_t>(bundles_.size()), setup_.threads, thread);
    for (std::int64_t i = share.first; i < share.last; ++i)
      run_bundle(bundles_[static_cast<std::size_t>(i)], fetch, out, scratch, trace);
  });
}

std::string BundledFft::describe() const {
  return text_ + " in " + std::to_string(bundles_.size()) + " bundles of " + std::to_string(line_bytes_ / 1024) +
         (stream_ ? " KiB, written past the cache" : " KiB");
}

namespace {

class LocalBundledFft : public Operation {
 public:
  explicit LocalBundledFft(const BundledFftSetup& setup) : in_place_(setup.step.kind == Kind::c2c), fft_(setup) {}
  void run(const std::byte* in, std::byte* out, std::byte*) override {
    fft_.run([&](const PeerCopy& copy, std::byte* lines) { fft_.copy_lines(in, copy, lines); }, out);
  }
  bool runs_in_place() const override { return in_place_; }
  std::string describe() const override { return fft_.describe(); }

 private:
  bool in_place_;
  BundledFft fft_;
};

}  // namespace

std::unique_ptr<Operation> make_bundled_fft(const BundledFftSetup& setup) {
  return std::make_unique<LocalBundledFft>(setup);
}

}  // namespace shardfft
