#include "exec/store_trial.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/aligned.hpp"
#include "base/clock.hpp"
#include "exec/own_cache.hpp"
#include "pack/pack.hpp"

namespace shardfft {

namespace {

constexpr std::size_t element = 16;
constexpr std::int64_t rows = 128;

/// Three arrays of some rows, as a plan has at least, cut in bundles of columns.
class StoreTrial {
 public:
  explicit StoreTrial(std::size_t bytes)
      : width_(std::max<std::int64_t>(1, default_bundle_bytes() / static_cast<std::int64_t>(element) / rows)),
        bundles_(std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / element) / rows / width_)),
        first_(allocate_aligned(array_bytes())),
        second_(allocate_aligned(array_bytes())),
        third_(allocate_aligned(array_bytes())),
        buffer_(allocate_aligned(static_cast<std::size_t>(rows * width_) * element)) {
    std::memset(first_.get(), 0, array_bytes());
    std::memset(second_.get(), 0, array_bytes());
    std::memset(third_.get(), 0, array_bytes());
  }

  /// Seconds from one array to the next, round them all.
  double round(bool past_cache) {
    const double begin = clock_seconds();
    pass(first_.get(), second_.get(), past_cache);
    pass(second_.get(), third_.get(), past_cache);
    pass(third_.get(), first_.get(), past_cache);
    return clock_seconds() - begin;
  }

 private:
  std::size_t array_bytes() const { return static_cast<std::size_t>(rows * width_ * bundles_) * element; }

  void pass(const std::byte* from, std::byte* to, bool past_cache) {
    Box lines{2, 0, {rows, width_}, {width_ * bundles_, 1}};
    const Box bundle = Box::run(0, rows * width_);
    for (; lines.offset < width_ * bundles_; lines.offset += width_) {
      copy_box(from, lines, buffer_.get(), bundle, element);
      if (past_cache)
        stream_box(buffer_.get(), bundle, to, lines, element);
      else
        copy_box(buffer_.get(), bundle, to, lines, element);
    }
  }

  std::int64_t width_;
  std::int64_t bundles_;
  AlignedMemory first_, second_, third_, buffer_;
};

/// On the slowest rank, and unless it is clearly slower: what a rank has just written into its cache costs the others,
/// who read it there, more than the trial shows.
bool is_faster_past_cache(const Communicator& comm, StoreTrial& trial) {
  double cached = std::numeric_limits<double>::infinity(), past = cached;
  for (int round = 0; round < host_defaults().trial_rounds; ++round) {
    comm.barrier();
    cached = std::min(cached, comm.max(trial.round(false)));
    past = std::min(past, comm.max(trial.round(true)));
  }
  return host_defaults().trial_clearly_less * past < cached;
}

}  // namespace

std::size_t bytes_to_write_past_cache(const Communicator& comm, std::size_t bytes, Effort effort) {
  const std::size_t beyond_doubt = host_defaults().bytes_to_write_past_cache;
  const auto own_cache = static_cast<std::size_t>(comm.max(own_cache_bytes()));
  const bool tries = effort != Effort::estimate && bytes >= own_cache && bytes < beyond_doubt;
  if (comm.min(std::int64_t{tries ? 1 : 0}) == 0) return beyond_doubt;
  std::unique_ptr<StoreTrial> trial;
  try {
    trial = std::make_unique<StoreTrial>(bytes);
  } catch (const Error&) {  // no memory to try it with
  }
  if (comm.min(std::int64_t{trial ? 1 : 0}) == 0) return beyond_doubt;
  return is_faster_past_cache(comm, *trial) ? own_cache : beyond_doubt;
}

}  // namespace shardfft
