#include "exec/store_choice.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned.hpp"
#include "base/clock.hpp"
#include "choose/trial.hpp"
#include "pack/pack.hpp"
#include "tune/own_cache.hpp"

namespace shardfft {

namespace {

constexpr std::int64_t element = 16;
constexpr std::int64_t rows = 128;
constexpr std::int64_t column_bytes = rows * element;

/// The copies of a plan: each rank writes its own array, which others read, and reads its next array from theirs.
/// Arrays of some rows, in bundles of columns that go through a buffer in cache.
class StoredArrays {
 public:
  /// `host` is null if each rank reads only its own array. `bytes` of an array and `own_cache` of a core are the same
  /// on all ranks. Collective.
  StoredArrays(HostMemory* host, std::size_t bytes, std::size_t own_cache)
      : host_(host),
        ranks_(host == nullptr ? 1 : host->host().size()),
        each_(std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes) / column_bytes / ranks_)),
        width_(std::clamp<std::int64_t>(bundle_bytes(static_cast<std::int64_t>(own_cache)) / column_bytes, 1, each_)) {
    each_ -= each_ % width_;
    // Collective allocation first: a rank without memory of its own must not make others wait.
    if (host != nullptr) window_ = host->allocate(array_bytes());
    own_ = allocate_aligned(array_bytes());
    read_ = allocate_aligned(array_bytes());
    buffer_ = allocate_aligned(static_cast<std::size_t>(width_ * column_bytes));
    if (!window_) written_ = allocate_aligned(array_bytes());
    for (std::byte* array : {own_.get(), read_.get(), written(me())}) std::memset(array, 0, array_bytes());
  }

  /// Seconds of two reshapes, there and back.
  double seconds(bool past_cache) {
    const double begin = clock_seconds();
    reshape(own_.get(), read_.get(), past_cache);
    reshape(read_.get(), own_.get(), past_cache);
    return clock_seconds() - begin;
  }

 private:
  int me() const { return host_ == nullptr ? 0 : host_->host().rank(); }
  void meet() const {
    if (host_ != nullptr) host_->host().barrier();
  }
  std::int64_t columns() const { return each_ * ranks_; }
  std::size_t array_bytes() const { return static_cast<std::size_t>(columns() * column_bytes); }
  std::byte* written(int rank) const { return window_ ? window_->segment(rank) : written_.get(); }

  void reshape(const std::byte* from, std::byte* to, bool past_cache) {
    pass(from, 0, written(me()), 0, columns(), past_cache);
    meet();
    // A rank begins with the data that it has written itself.
    for (int turn = 0; turn < ranks_; ++turn) {
      const int owner = (me() + turn) % ranks_;
      pass(written(owner), me() * each_, to, owner * each_, each_, past_cache);
    }
    meet();
  }

  void pass(const std::byte* from, std::int64_t from_column, std::byte* to, std::int64_t to_column, std::int64_t count,
            bool past_cache) {
    const Box bundle = Box::run(0, rows * width_);
    for (std::int64_t column = 0; column < count; column += width_) {
      const auto lines = [&](std::int64_t first) { return Box{2, first + column, {rows, width_}, {columns(), 1}}; };
      copy_box(from, lines(from_column), buffer_.get(), bundle, element);
      if (past_cache)
        stream_box(buffer_.get(), bundle, to, lines(to_column), element);
      else
        copy_box(buffer_.get(), bundle, to, lines(to_column), element);
    }
  }

  HostMemory* host_;
  int ranks_;
  std::int64_t each_;   ///< columns of an array that each rank reads
  std::int64_t width_;  ///< columns of a bundle
  std::shared_ptr<HostWindow> window_;
  AlignedMemory own_, read_, written_, buffer_;
};

}  // namespace

std::size_t bytes_to_write_past_cache(const Communicator& comm, HostMemory* host, std::size_t bytes,
                                      const RankFacts& ranks) {
  const std::size_t beyond_doubt = host_defaults().bytes_to_write_past_cache;
  const std::size_t own_cache = ranks.own_cache;
  if (!ranks.may_try || bytes < own_cache || bytes >= beyond_doubt) return beyond_doubt;
  std::unique_ptr<StoredArrays> arrays;
  try {
    agree(comm, [&] { arrays = std::make_unique<StoredArrays>(host, bytes, own_cache); });
  } catch (const Error&) {  // no memory for the trial
    return beyond_doubt;
  }
  // Chooses past the cache unless it is clearly slower: in a run, the last-level cache may be full of other data.
  enum { past, cached };
  Trial trial(comm, [&](std::size_t way) { return arrays->seconds(way == past); });
  trial.allow(Trial::unlimited, Trial::unlimited);
  trial.run({trial.enter(), trial.enter()});
  trial.run_rounds();
  return trial.winner() == past ? own_cache : beyond_doubt;
}

}  // namespace shardfft
