#pragma once
// Where the ranks of a host lay numbers down for all others to read, again and again.
#include <atomic>
#include <memory>

#include "mpi/host_window.hpp"

namespace shardfft {

/// Two desks a rank, used in turn: who lays down numbers for the next round but one knows that all have read these.
template <class Words>
class SharedDesks {
  struct alignas(64) Desk {
    std::atomic<std::uint64_t> turn;
    Words words;
  };

 public:
  static constexpr std::size_t bytes_each = 2 * sizeof(Desk);

  /// `window`: bytes_each on every rank, from the kernel, so that they are zero: nobody has laid down anything.
  SharedDesks(const Communicator& host, std::shared_ptr<HostWindow> window)
      : rank_(host.rank()), ranks_(host.size()), window_(std::move(window)) {}

  int ranks() const { return ranks_; }
  /// All ranks must have read those of this round before.
  void lay_down(const Words& mine) {
    ++turn_;
    Desk& own = desk(rank_);
    own.words = mine;
    own.turn.store(turn_, std::memory_order_release);
  }
  /// A rank's words of this round; null if they are not there yet.
  const Words* of(int rank) const {
    const Desk& other = desk(rank);
    return other.turn.load(std::memory_order_acquire) == turn_ ? &other.words : nullptr;
  }

 private:
  Desk& desk(int rank) const { return reinterpret_cast<Desk*>(window_->segment(rank))[turn_ % 2]; }

  int rank_;
  int ranks_;
  std::shared_ptr<HostWindow> window_;
  std::uint64_t turn_ = 0;
};

}  // namespace shardfft
