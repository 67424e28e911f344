#pragma once
// Memory in which the ranks of a host lay down numbers for all others to read, again and again.
#include <atomic>
#include <memory>
#include <vector>

#include "mpi/host_window.hpp"

namespace shardfft {

/// Two desks a rank, used in turn: a rank that lays down numbers for the next round but one knows that all have read
/// these.
template <class Words>
class SharedDesks {
  struct alignas(64) Desk {
    std::atomic<std::uint64_t> turn;
    Words words;
  };

 public:
  static constexpr std::size_t bytes_each = 2 * sizeof(Desk);

  /// `segments`: bytes_each of every rank, which are zero: no rank has laid down anything. `memory`: keeps them alive.
  SharedDesks(int rank, std::vector<std::byte*> segments, std::shared_ptr<const void> memory)
      : rank_(rank), segments_(std::move(segments)), memory_(std::move(memory)) {}
  /// Desks in memory of the host. Collective over it.
  explicit SharedDesks(HostMemory& host) : SharedDesks(host, host.take(bytes_each)) {}

  int ranks() const { return static_cast<int>(segments_.size()); }
  /// All ranks must have read those of this round before.
  void lay_down(const Words& mine) {
    ++turn_;
    Desk& own = desk(rank_);
    own.words = mine;
    // Pairs with the load in of(), here for this rank's numbers, and for its reads of the round before: a rank that has
    // seen this turn may overwrite its numbers of that round.
    own.turn.store(turn_, std::memory_order_release);
  }
  /// A rank's words of this round; null if they are not there yet.
  const Words* of(int rank) const {
    const Desk& other = desk(rank);
    // Pairs with the store in lay_down().
    return other.turn.load(std::memory_order_acquire) == turn_ ? &other.words : nullptr;
  }

 private:
  SharedDesks(const HostMemory& host, const HostPart& part) : rank_(host.host().rank()), memory_(part.window) {
    for (int rank = 0; rank < host.host().size(); ++rank) segments_.push_back(part.of(rank));
  }
  Desk& desk(int rank) const { return reinterpret_cast<Desk*>(segments_[static_cast<std::size_t>(rank)])[turn_ % 2]; }

  int rank_;
  std::vector<std::byte*> segments_;
  std::shared_ptr<const void> memory_;
  std::uint64_t turn_ = 0;
};

}  // namespace shardfft
