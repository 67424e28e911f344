#include "exec/bundled_fft.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/aligned.hpp"
#include "base/compute.hpp"
#include "base/team.hpp"
#include "exec/bundle_shape.hpp"
#include "exec/fft_operation.hpp"
#include "pack/pack.hpp"
#include "pack/past_cache.hpp"
#include "tune/own_cache.hpp"

namespace shardfft {

bool BundledFft::worth_it(const BundledFftSetup& setup) {
  return worth_it(setup, 2 * own_cache_bytes(), own_cache_bytes());
}

bool BundledFft::worth_it(const BundledFftSetup& setup, std::int64_t longest_line, std::int64_t cache) {
  const auto pieces = setup.before.layout.pieces(setup.rank);
  if (pieces.size() != 1) return false;
  std::int64_t line = static_cast<std::int64_t>(element_bytes(setup.before, setup.precision));
  const std::int64_t all = line * pieces.front().set.count();
  for (const int a : setup.step.numbers()) line *= pieces.front().set.axis[static_cast<std::size_t>(a)].count;
  return line <= longest_line && all > cache;
}

BundledFft::BundledFft(const BundledFftSetup& setup)
    : setup_(setup),
      in_bytes_(element_bytes(setup.before, setup.precision)),
      out_bytes_(element_bytes(setup.after, setup.precision)),
      ahead_(static_cast<std::size_t>(setup.threads), BoxRows(in_bytes_, static_cast<int>(setup.step.axes.size()))) {
  const Piece piece = only_piece(setup.before.layout, setup.rank), result = only_piece(setup.after.layout, setup.rank);
  if (piece.set.empty() || result.set.empty()) return;
  stream_ = static_cast<std::size_t>(result.set.count()) * out_bytes_ >= setup.bytes_past_cache;
  scatters_ = !is_part(setup.to, setup.rank, result);
  cut(piece, result);
}

/// Bundles along an axis that every owner has whole have equal distances in all arrays. So have those of this rank's
/// own array along any axis. The axis with most bundles makes the fewest rows.
void BundledFft::choose_row_axis(const Piece& piece, const Piece& result) {
  const bool own = is_part(setup_.from, setup_.rank, piece), keeps = is_part(setup_.to, setup_.rank, result);
  for (const std::size_t a : axes_of(piece)) {
    const std::int64_t whole = piece.set.axis[a].count / block_[a];
    const auto axis = static_cast<int>(a);
    if (whole <= row_length_ || (setup_.targets && axis == setup_.divided)) continue;
    if (!(own || setup_.from.axis_is_local(axis)) || !(keeps || setup_.to.axis_is_local(axis))) continue;
    if (setup_.check && !setup_.check->alike_along(axis)) continue;
    row_axis_ = a;
    row_length_ = whole;
  }
}

/// Whether lines that are side by side get results that are one behind the other. Some libraries are faster this way,
/// except for powers of two. Results that are written past the cache can be transposed on their way. To transpose
/// results that are written into the cache may cost more than that saves.
bool BundledFft::is_worth_turning(const Piece& piece) const {
  const std::size_t fastest = fastest_first(piece).front();
  if (!stream_ || !setup_.ffts.turn_lines() || setup_.step.kind() != Kind::c2c || setup_.step.axes.size() != 1)
    return false;
  const auto transformed = static_cast<std::size_t>(setup_.step.axes.front().axis);
  return transformed != fastest &&
         !std::has_single_bit(static_cast<std::uint64_t>(piece.set.axis[transformed].count)) &&
         block_[fastest] * static_cast<std::int64_t>(in_bytes_) >= host_defaults().run_bytes_to_write_past_cache;
}

Piece BundledFft::results_of(const IndexSet& set, const Piece& lines, const Piece& result) const {
  if (turns_) {
    Piece order = result;
    order.stride[static_cast<std::size_t>(setup_.step.axes.front().axis)] = 0;  // the fastest
    return scratch_piece(set, order, out_bytes_);
  }
  return setup_.step.keeps_numbers() ? lines : scratch_piece(set, result, out_bytes_);
}

void BundledFft::cut(const Piece& piece, const Piece& result) {
  const std::size_t element_bytes = std::max(in_bytes_, out_bytes_);
  const auto blocks_along = [&](const std::vector<std::size_t>& run_axes) {
    return choose_blocks(piece, setup_.step, element_bytes,
                         setup_.bundle_bytes > 0 ? setup_.bundle_bytes : default_bundle_bytes(), run_axes);
  };
  block_ = blocks_along({});
  block_ = blocks_along(run_axes({setup_.to, setup_.from}, setup_.rank, setup_.step, block_, element_bytes));
  const auto axes = static_cast<std::size_t>(piece.set.axes);
  turns_ = is_worth_turning(piece);
  choose_row_axis(piece, result);
  bundle_count_ = 1;
  for (const std::size_t a : axes_of(piece)) {
    count_[a] = (piece.set.axis[a].count - 1) / block_[a] + 1;
    bundle_count_ *= count_[a];
  }
  BundleBlocks at{};
  const auto advance = [&] {
    for (std::size_t a = axes; a-- > 0; at[a] = 0) {
      at[a] += a == row_axis_ && at[a] == 0 ? row_length_ : 1;
      if (at[a] < count_[a]) return true;
    }
    return false;
  };
  do {
    add(piece, result, at, at[row_axis_] == 0 ? row_length_ : 1);
  } while (advance());
}

IndexSet BundledFft::set_of(const Piece& piece, const BundleBlocks& at) const {
  IndexSet set = piece.set;
  for (const std::size_t a : axes_of(piece)) {
    const Progression& own = piece.set.axis[a];
    const std::int64_t first = at[a] * block_[a];
    set.axis[a] = {own.at(first), std::min(block_[a], own.count - first), own.stride};
  }
  return set;
}

/// Adds the row of bundles that begins at `at`.
void BundledFft::add(const Piece& piece, const Piece& result, const BundleBlocks& at, std::int64_t times) {
  const IndexSet set = set_of(piece, at);
  const Layout &sources = setup_.sources ? *setup_.sources : setup_.from,
               &targets = setup_.targets ? *setup_.targets : setup_.to;
  // The transform changes only the extent of a halved axis.
  const auto result_set_of = [&](IndexSet s) {
    for (const int a : setup_.step.numbers())
      s.axis[static_cast<std::size_t>(a)] = result.set.axis[static_cast<std::size_t>(a)];
    return s;
  };
  const IndexSet result_set = result_set_of(set);
  Piece lines = scratch_piece(set, piece, in_bytes_);
  Piece results = results_of(result_set, lines, result);
  auto& fft = fft_of(lines, results);
  fft->add_calls(times);
  line_bytes_ = std::max(line_bytes_, extent_bytes(lines, in_bytes_));
  if (!fft->spec().in_place) result_bytes_ = std::max(result_bytes_, extent_bytes(results, out_bytes_));
  Bundle bundle{{}, {}, times, fft.get()};
  const std::vector<PeerCopy> copies = gather_boxes(sources, lines, setup_.rank);
  for (const PeerCopy& copy : copies) bundle.gather.push_back({copy, 0});
  const std::vector<PeerCopy> stores = scatter_boxes(results, targets, setup_.rank);
  for (const PeerCopy& copy : stores) bundle.store.push_back({copy, 0});
  if (setup_.check) {
    bundle.lines = setup_.check->add(lines, results);
    bundle.check_fetches = setup_.check->joins_gather(bundle.lines, copies);
    bundle.check_stores = setup_.check->joins_store(bundle.lines, stores);
  }
  if (times > 1) {
    BundleBlocks next = at;
    ++next[row_axis_];
    lines.set = set_of(piece, next);
    results.set = result_set_of(lines.set);
    const auto set_steps = [](std::vector<OwnersBox>& boxes, const std::vector<PeerCopy>& following,
                              Box LocalCopy::*owners) {
      for (std::size_t i = 0; i < boxes.size(); ++i)
        boxes[i].step = (following[i].boxes.*owners).offset - (boxes[i].copy.boxes.*owners).offset;
    };
    set_steps(bundle.gather, gather_boxes(sources, lines, setup_.rank), &LocalCopy::from);
    set_steps(bundle.store, scatter_boxes(results, targets, setup_.rank), &LocalCopy::to);
  }
  bundles_.push_back(std::move(bundle));
}

/// The transform of a bundle in scratch memory; bundles of the same shape share one.
std::shared_ptr<PlannedFft>& BundledFft::fft_of(const Piece& lines, const Piece& results) {
  std::vector<std::int64_t> shape;
  for (const std::size_t a : axes_of(lines)) shape.push_back(lines.set.axis[a].count);
  auto& fft = ffts_[shape];
  if (fft) return fft;
  FftSpec spec = fft_spec_between(setup_.step, lines, results, setup_.precision, setup_.before.is_complex);
  spec.scale = setup_.scale;
  spec.effort = setup_.effort;
  spec.preserve_input = false;
  spec.in_place = setup_.step.keeps_numbers() && !turns_;
  if (text_.empty()) text_ = describe_fft(spec);
  return fft = setup_.ffts.add(spec, setup_.threads);
}

/// Sums are added up during the copies, which wait for memory.
void BundledFft::gather(const BundleInRow& at, const LineSource& source, const Worker& worker) const {
  const auto& [bundle_at, index] = at;
  const Bundle& bundle = *bundle_at;
  const bool joined = bundle.check_fetches && fetch_bytes_ == 0;
  if (setup_.pads) std::memset(worker.scratch, 0, line_bytes_);
  for (std::size_t i = 0; i < bundle.gather.size(); ++i) {
    PeerCopy copy = bundle.gather[i].copy;
    copy.boxes.from.offset += index * bundle.gather[i].step;
    const std::byte* const array = source.here(copy.peer);
    if (joined)
      compute(copy_work(copy.boxes.from, in_bytes_), [&] {
        setup_.check->fetch(worker.thread, bundle.lines, i,
                            array + copy.boxes.from.offset * static_cast<std::int64_t>(in_bytes_), worker.scratch);
      });
    else if (array != nullptr)
      copy_box(array, copy.boxes.from, worker.scratch, copy.boxes.to, in_bytes_, 1);
    else
      source.fetch(copy, worker.scratch, worker.scratch + line_bytes_);
  }
  if (setup_.check && !joined) setup_.check->lines(worker.thread, bundle.lines, worker.scratch);
}

void BundledFft::store(const BundleInRow& at, const std::byte* result, const LineTarget& target,
                       const Worker& worker) const {
  const auto& [bundle_at, index] = at;
  const Bundle& bundle = *bundle_at;
  if (setup_.check && !bundle.check_stores) setup_.check->results(worker.thread, bundle.lines, result);
  for (std::size_t i = 0; i < bundle.store.size(); ++i) {
    const OwnersBox& store = bundle.store[i];
    Box to = store.copy.boxes.to;
    to.offset += index * store.step;
    std::byte* const out = target.array(store.copy.peer);
    if (bundle.check_stores)
      compute(copy_work(to, out_bytes_), [&] {
        setup_.check->store(worker.thread, bundle.lines, i, result,
                            out + to.offset * static_cast<std::int64_t>(out_bytes_), stream_);
        if (stream_) end_of_stream();
      });
    else if (stream_)
      stream_box(result, store.copy.boxes.from, out, to, out_bytes_);
    else
      copy_box(result, store.copy.boxes.from, out, to, out_bytes_, 1);
  }
}

/// Bundles are numbered in row-major order of the axes.
BundledFft::BundleInRow BundledFft::bundle_numbered(std::int64_t number) const {
  std::int64_t index = 0;        // in its row
  std::int64_t row = 0;          // in bundles_
  std::int64_t rows_within = 1;  // of one step along the axis
  for (auto a = static_cast<std::size_t>(setup_.before.layout.axes()); a-- > 0;) {
    std::int64_t at = number % count_[a];
    number /= count_[a];
    std::int64_t rows = count_[a];
    if (a == row_axis_) {
      rows -= row_length_ - 1;
      index = at < row_length_ ? at : 0;
      at = at < row_length_ ? 0 : at - row_length_ + 1;
    }
    row += at * rows_within;
    rows_within *= rows;
  }
  return {&bundles_[static_cast<std::size_t>(row)], index};
}

/// Adds the lines of a bundle to the rows to prefetch. If results stay in the cache, so did the lines: they are read
/// fast, and prefetching costs more than it saves. A core's own cache must have room for a whole bundle.
void BundledFft::take_rows(const BundleInRow& at, const LineSource& source, BoxRows& rows) const {
  if (!stream_ || static_cast<std::int64_t>(line_bytes_) > own_cache_bytes()) return;
  for (const OwnersBox& g : at.bundle->gather) rows.add(source.here(g.copy.peer), g.copy.boxes.from, at.index * g.step);
}

std::size_t BundledFft::thread_bytes() const {
  std::size_t fft_bytes = 0;
  for (const auto& [shape, fft] : ffts_) fft_bytes = std::max(fft_bytes, fft->scratch_bytes());
  return line_bytes_ + std::max(result_bytes_ + fft_bytes, round_up(fetch_bytes_, cache_line));
}

std::size_t BundledFft::scratch_bytes() const { return static_cast<std::size_t>(setup_.threads) * thread_bytes(); }

std::size_t BundledFft::table_bytes() const {
  std::size_t bytes = bundles_.size() * sizeof(Bundle);
  for (const Bundle& bundle : bundles_) bytes += (bundle.gather.size() + bundle.store.size()) * sizeof(OwnersBox);
  return bytes;
}

void BundledFft::run(const LineSource& source, const LineTarget& target, std::byte* scratch) {
  const std::size_t bytes = thread_bytes();
  run_team(setup_.threads, [&](int thread) {
    // Only one thread's time is recorded: the trace belongs to the rank.
    const Worker worker{thread, scratch + static_cast<std::size_t>(thread) * bytes,
                        thread == 0 ? setup_.trace : nullptr};
    std::byte* const result = result_bytes_ > 0 ? worker.scratch + line_bytes_ : worker.scratch;
    const Share share = share_of(bundle_count_, setup_.threads, thread);
    BoxRows& ahead = ahead_[static_cast<std::size_t>(thread)];
    for (std::int64_t i = share.first; i < share.last; ++i) {
      ahead.clear();
      if (i + 1 < share.last) take_rows(bundle_numbered(i + 1), source, ahead);
      const BundleInRow at = bundle_numbered(i);
      Laps laps(worker.trace);
      gather(at, source, worker);
      laps.end(Activity::exchange);
      at.bundle->fft->execute(worker.scratch, result, worker.scratch + line_bytes_ + result_bytes_, ahead);
      laps.end(Activity::fft);
      store(at, result, target, worker);
      laps.end(scatters_ ? Activity::exchange : Activity::copy);
    }
  });
}

std::string BundledFft::describe() const {
  return (setup_.pads ? "pad, " : "") + text_ + " in " + std::to_string(bundle_count_) + " bundles of " +
         std::to_string(std::max(line_bytes_, result_bytes_) / 1024) +
         (stream_ ? " KiB, written past the cache" : " KiB") + describe_check();
}

std::string BundledFft::describe_check() const {
  const bool fetches = fetch_bytes_ == 0 && std::any_of(bundles_.begin(), bundles_.end(),
                                                        [](const Bundle& bundle) { return bundle.check_fetches; });
  const bool stores =
      std::any_of(bundles_.begin(), bundles_.end(), [](const Bundle& bundle) { return bundle.check_stores; });
  if (!fetches && !stores) return "";
  return std::string(", checked while ") + (fetches ? "fetched" : "") + (fetches && stores ? " and " : "") +
         (stores ? "stored" : "");
}

namespace {

/// All lines are in this rank's own array.
class OwnSource : public LineSource {
 public:
  explicit OwnSource(const std::byte* array) : array_(array) {}
  const std::byte* here(int /*peer*/) const override { return array_; }
  void fetch(const PeerCopy& /*copy*/, std::byte* /*lines*/, std::byte* /*scratch*/) const override {}

 private:
  const std::byte* array_;
};

}  // namespace

void BundledFft::run(const std::byte* in, std::byte* out, std::byte* scratch) {
  run(OwnSource(in), own_target(out), scratch);
}

}  // namespace shardfft
