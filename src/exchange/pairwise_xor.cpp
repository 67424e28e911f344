// Strategy pairwise_xor: blocks are swapped in place, pair by pair (Adelmann et al. 2004, sections 1 and 4).
#include <algorithm>

#include "base/aligned.hpp"
#include "exchange/blocks.hpp"
#include "exchange/link.hpp"
#include "exchange/partners.hpp"
#include "exchange/strategies.hpp"
#include "pack/pack.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// The packed buffer of rank CPU is a row of blocks; block b goes to rank b. With p ranks and B = CPU * p + b, block B
/// is swapped with B' = b * p + CPU: p (p - 1) / 2 swaps, after which block b holds rank b's data for this one. The
/// paper swaps by MPI_Sendrecv_replace. Here each part of a block is sent from a small buffer, as inside MPI, so that a
/// rank can stop waiting. Powers of two find the partner by rank xor step, the paper's scheme; any other count by a
/// round-robin tournament. Pairs with blocks of two sizes pad to the larger one, the paper's future work. Overlap:
/// packing early, nothing else; the swaps block inside finish. Workspace: one array for both directions, and the
/// buffer.
class PairwiseXor : public Exchange {
 public:
  explicit PairwiseXor(const ExchangeSetup& setup)
      : link_(setup),
        send_(setup.schedule.send, setup, Staging::always),
        recv_(setup.schedule.recv, setup, Staging::always),
        element_bytes_(static_cast<std::int64_t>(setup.element_bytes)),
        most_(std::max<std::int64_t>(host_defaults().swap_buffer_bytes / element_bytes_, 1)),
        trace_(setup.trace),
        requests_(setup.watch) {
    for (const int peer : partners_by_round(setup.comm.rank(), setup.comm.size())) {
      if (peer < 0) continue;
      Swap swap{peer, send_.find(peer), recv_.find(peer), 0, bytes_};
      if (swap.send >= 0) swap.count = send_[swap.send].count;
      if (swap.receive >= 0) swap.count = std::max(swap.count, recv_[swap.receive].count);
      if (swap.count == 0) continue;
      bytes_ += round_up(static_cast<std::size_t>(swap.count) * setup.element_bytes, cache_line);
      largest_ = std::max(largest_, std::min(swap.count, most_));
      swaps_.push_back(swap);
    }
  }

  std::size_t workspace_bytes() const override { return bytes_ + round_up(to_bytes(largest_), cache_line); }

  void start(const ExchangeBuffers& b) override {
    for (const Swap& s : swaps_)
      if (s.send >= 0) send_.pack_into(s.send, b.source, b.workspace + s.offset_bytes);
  }

  void finish(const ExchangeBuffers& b) override {
    for (const Swap& s : swaps_) {
      const Scope scope(trace_, Activity::exchange);
      swap(s, b.workspace);
    }
    for (const Swap& s : swaps_)
      if (s.receive >= 0) recv_.unpack_from(s.receive, b.workspace + s.offset_bytes, b.destination);
  }

 private:
  struct Swap {
    int peer;
    int send;            ///< index of the block that goes out, -1 for none
    int receive;         ///< index of the block that comes in, -1 for none
    std::int64_t count;  ///< elements of the larger of both
    std::size_t offset_bytes;
  };

  std::size_t to_bytes(std::int64_t count) const { return static_cast<std::size_t>(count * element_bytes_); }

  void swap(const Swap& s, std::byte* workspace) {
    std::byte* const buffer = workspace + bytes_;
    for (std::int64_t done = 0; done < s.count; done += most_) {
      const std::int64_t count = std::min(s.count - done, most_);
      std::byte* const part = workspace + s.offset_bytes + to_bytes(done);
      copy_bytes(part, buffer, to_bytes(count));
      link_.receive(part, count, s.peer, requests_);
      link_.send(buffer, count, s.peer, requests_);
      requests_.wait_all();
    }
  }

  Link link_;
  Blocks send_;
  Blocks recv_;
  std::int64_t element_bytes_;
  std::int64_t most_;         ///< elements that are swapped at once, the same on all ranks
  std::int64_t largest_ = 0;  ///< of this rank
  Trace* trace_;
  std::vector<Swap> swaps_;
  std::size_t bytes_ = 0;  ///< of all blocks
  RequestSet requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_pairwise_xor(const ExchangeSetup& setup) { return std::make_unique<PairwiseXor>(setup); }

}  // namespace shardfft
