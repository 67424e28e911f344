#pragma once
// Memory that the ranks of one host share, and the counters by which they take turns.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/available_memory.hpp"
#include "base/forks.hpp"
#include "base/hooks.hpp"
#include "mpi/communicator.hpp"
#include "mpi/memory_file.hpp"
#include "mpi/watch.hpp"

namespace shardfft {

/// One segment of `bytes` (the same on every rank) for each rank of a host, all in one file that each rank maps once:
/// the kernel counts a process's mappings (vm.max_map_count), and plans and ranks are many. Construction is collective
/// over the host's ranks; destruction is not, which is why this is no MPI window: users' arrays lie here, and ranks
/// drop them when they please. Memory that others have mapped stays theirs.
class HostWindow {
 public:
  /// The content of a rank's own segment in processes forked from it; other segments are missing there.
  enum class InChildren { nothing, copy };

  /// Throws on all ranks of the host alike: Error(out_of_memory) if there is no room, naming the limit, and
  /// Error(unsupported) if ranks do not find each other's segments. `names`: the ranks' numbers in errors, if not those
  /// on the host.
  HostWindow(const Communicator& host, std::size_t bytes, InChildren in_children = InChildren::nothing,
             const std::vector<int>& names = {});
  std::byte* segment(int host_rank) const { return all_.get() + static_cast<std::size_t>(host_rank) * stride_; }
  std::byte* mine() const { return segment(rank_); }
  std::size_t bytes() const { return bytes_; }
  bool contains(const void* p) const {
    const auto* b = static_cast<const std::byte*>(p);
    return bytes_ > 0 && b >= mine() && b < mine() + bytes_;
  }

 private:
  /// The installed MemorySource's leave for this rank's own segment.
  class Grant {
   public:
    explicit Grant(std::size_t bytes);
    ~Grant();
    Grant(const Grant&) = delete;
    Grant& operator=(const Grant&) = delete;
    bool given() const { return given_; }

   private:
    MemorySource* source_;
    std::size_t bytes_;
    bool given_;
  };

  void map(const OfferedFile& file, const Communicator& host, InChildren in_children);

  int rank_, ranks_;
  std::size_t bytes_, stride_;
  Grant grant_;
  Mapping all_{nullptr, Unmap{0}};
  std::list<KeptFromChildren> kept_;
};

/// A part of every rank's segment in a window that small objects share.
struct HostPart {
  std::shared_ptr<HostWindow> window{};
  std::size_t offset = 0;
  /// Null of imagined ranks, which have no window.
  std::byte* of(int host_rank) const { return window ? window->segment(host_rank) + offset : nullptr; }
};

/// Throws Error(out_of_memory), naming the limit, if there is no room for this rank and others, `ranks` in all on the
/// host, that each want windows of `bytes` altogether, `largest` of them in one.
void require_window_room(double bytes, double largest, int ranks);
/// Bytes of windows that find room in any case.
std::size_t window_room();

/// The place of the array that a rank's readers want: an offset into one of the host's windows.
struct HostAddress {
  std::int64_t window = -1;
  std::int64_t offset = 0;
};

/// The host as one plan sees it: the ranks here and their memory. Only ranks that have found each other's memory count
/// as being here, even if MPI puts more on the host.
class HostMemory {
 public:
  /// Collective over `comm`.
  HostMemory(const Communicator& comm, int fake_ranks_per_host);

  const Communicator& host() const { return host_; }
  /// Why ranks that are on one host for MPI do not share memory; empty if all do. The same on all ranks.
  const std::string& apart() const { return apart_; }
  /// Rank on this host of a rank of the plan, or -1.
  int host_rank(int rank) const { return host_rank_[static_cast<std::size_t>(rank)]; }
  /// True if all of `ranks` are on this host.
  bool holds(const std::vector<int>& ranks) const;
  /// A new window; addresses are looked up in it as long as any rank of the host uses it. Forgets windows that no rank
  /// uses any more. Collective over the host.
  std::shared_ptr<HostWindow> allocate(std::size_t bytes,
                                       HostWindow::InChildren in_children = HostWindow::InChildren::nothing);
  /// Some bytes for each rank that are never given back, cleared by the kernel. Collective over the host if the last
  /// window has no room.
  HostPart take(std::size_t bytes);
  /// The address of `p`; window -1 if it lies in none.
  HostAddress locate(const void* p) const;
  /// The memory of `rank` (of the plan) at an address that it published.
  std::byte* resolve(int rank, const HostAddress& address) const;

 private:
  void forget_unused();
  void find_small(const Communicator& comm);
  void make_small(std::size_t bytes);
  void find_apart(const Communicator& comm);
  std::vector<Found> find_sharers(const Communicator& comm, std::string& why) const;
  bool cut(const std::vector<Found>& found);

  Communicator host_;
  std::string apart_;
  std::vector<int> members_;  ///< ranks of the plan, by rank on the host
  std::vector<int> host_rank_;
  std::vector<std::shared_ptr<HostWindow>> windows_;  ///< by number; the same ones on all ranks
  HostPart small_;                                    ///< the memory of take(), from the first byte that is free
  std::size_t small_end_ = 0;                         ///< of the part that this plan may use
};

/// Turns on shared arrays: owners publish the address of their array, and all members wait for all owners. Then they
/// read each other's arrays, or write into them, and finish. A member that has waited until all finished may use its
/// array for something else. All members publish and finish in the same order.
class TurnCounter {
 public:
  static constexpr std::size_t bytes_each = 128;

  /// `control`: bytes_each for it alone. `members`: ranks of the plan that use each other's arrays. `watch`: waiting
  /// ranks look at it; it may be null.
  TurnCounter(const HostMemory& host, const HostPart& control, const std::vector<int>& members, Watch* watch);
  /// The same in any memory, zero at first: the counters of this rank, and of all members. `memory`: keeps them alive.
  TurnCounter(std::shared_ptr<const void> memory, std::byte* mine, const std::vector<std::byte*>& members,
              Watch* watch);
  /// From now on others may use the array at `address`.
  void publish(const HostAddress& address);
  /// Waits until all members have published as often as this rank.
  void wait_published() const;
  /// The address of a member's array; valid from wait_published to finish.
  HostAddress address(std::size_t member) const;
  /// This rank uses no other's array any more.
  void finish();
  /// Waits until all members have finished with the arrays that were published last.
  void wait_finished() const;

 private:
  struct alignas(64) Published {
    std::atomic<std::uint64_t> turn;
    HostAddress address;
  };
  struct alignas(64) Finished {
    std::atomic<std::uint64_t> turn;
  };
  struct Counters {
    Published published;
    Finished finished;
  };
  static_assert(sizeof(Counters) == bytes_each);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "locks are of one process");

  std::shared_ptr<const void> memory_;
  Counters* mine_;
  std::vector<Counters*> members_;
  Watch* watch_;
  std::uint64_t turn_ = 0;
};

}  // namespace shardfft
