// Batches in calls that the backend can take, dealt to OpenMP threads.
#include <algorithm>

#include "base/team.hpp"
#include "local/stages.hpp"

namespace shardfft {
namespace {

class Batched : public LocalFft {
 public:
  Batched(const FftSpec& spec, const Blocking& blocking, const SubFactory& make)
      : in_bytes_(input_element(spec).bytes()),
        out_bytes_(output_element(spec).bytes()),
        threads_(static_cast<int>(std::min<std::int64_t>(spec.threads, blocking.calls()))),
        blocking_(blocking),
        blocks_(blocking.blocks()),
        calls_(blocking.calls()) {
    FftSpec sub = spec;
    sub.threads = 1;
    sub.aligned = spec.aligned && keeps_alignment();
    const std::int64_t whole = blocking.blocked.count / blocking.block;
    if (whole > 0) whole_ = make(call_spec(sub, blocking.block));
    if (const std::int64_t tail = blocking.blocked.count - whole * blocking.block; tail > 0)
      tail_ = make(call_spec(sub, tail));
  }

  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(threads_) * thread_bytes(); }

  void execute(const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const override {
    run_team(threads_, [&](int thread) {
      std::byte* const mine = scratch + static_cast<std::size_t>(thread) * thread_bytes();
      const Share share = share_of(calls_, threads_, thread);
      ReadAhead nothing;  // it belongs to one thread
      for (std::int64_t c = share.first; c < share.last; ++c) call(c, in, out, mine, threads_ == 1 ? ahead : nothing);
    });
  }

 private:
  FftSpec call_spec(FftSpec spec, std::int64_t block) const {
    spec.batch = blocking_.kept;
    spec.batch.push_back(blocking_.blocked);
    spec.batch.back().count = block;
    return spec;
  }

  /// True when every call starts on a 16-byte boundary if the first does.
  bool keeps_alignment() const {
    const auto keeps = [&](const Loop& loop, std::int64_t step) {
      return step * loop.from * static_cast<std::int64_t>(in_bytes_) % 16 == 0 &&
             step * loop.to * static_cast<std::int64_t>(out_bytes_) % 16 == 0;
    };
    if (blocks_ > 1 && !keeps(blocking_.blocked, blocking_.block)) return false;
    for (const Loop& loop : blocking_.outer)
      if (!keeps(loop, 1)) return false;
    return true;
  }

  std::size_t thread_bytes() const {
    return std::max(whole_ ? whole_->scratch_bytes() : 0, tail_ ? tail_->scratch_bytes() : 0);
  }

  void call(std::int64_t index, const void* in, void* out, std::byte* scratch, ReadAhead& ahead) const {
    const std::int64_t block = index % blocks_;
    index /= blocks_;
    std::int64_t in_offset = block * blocking_.block * blocking_.blocked.from;
    std::int64_t out_offset = block * blocking_.block * blocking_.blocked.to;
    for (const Loop& loop : blocking_.outer) {
      in_offset += index % loop.count * loop.from;
      out_offset += index % loop.count * loop.to;
      index /= loop.count;
    }
    const bool is_tail = (block + 1) * blocking_.block > blocking_.blocked.count;
    (is_tail ? tail_ : whole_)
        ->execute(advance(in, in_offset, in_bytes_), advance(out, out_offset, out_bytes_), scratch, ahead);
  }

  std::size_t in_bytes_, out_bytes_;
  int threads_;
  Blocking blocking_;
  std::int64_t blocks_, calls_;
  std::unique_ptr<LocalFft> whole_, tail_;
};

}  // namespace

std::unique_ptr<LocalFft> make_batched(const FftSpec& spec, const Blocking& blocking, const SubFactory& make) {
  return std::make_unique<Batched>(spec, blocking, make);
}

}  // namespace shardfft
