#pragma once
// Ranks that are no processes: each is a thread of this one, and they meet in memory. Their plans are those that real
// ranks would make; nothing can be sent. One thread runs at a time, until it waits for others.
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// There are `size` ranks, `ranks_per_host` in a row on each host; those in `present` do the work. In a meeting a rank
/// that is absent gives the same data as the listener.
class ImaginedRanks {
 public:
  ImaginedRanks(int size, int ranks_per_host, std::vector<int> present);
  /// Runs `work` on each rank that is present, with the communicator of all. Throws the exception of the first of them
  /// that threw.
  void run(const std::function<void(const Communicator&)>& work);
  /// Whether this thread is one of such ranks, which must not call MPI.
  static bool work_here() { return baton_ != nullptr; }

 private:
  friend class Communicator;
  using Bytes = std::vector<std::byte>;
  /// The meeting place of one group's members, one turn after the other.
  struct Desk {
    std::size_t expected = 0;
    std::map<int, Bytes> told, heard;  ///< by rank
    std::size_t turn = 0;
  };

  void gather(const ImaginedGroup& group, int rank, const void* mine, void* all, std::size_t bytes);
  /// If no rank is left to wait for, all ranks that wait fail.
  void end_if_stuck();
  void work_as(int rank, const std::function<void(const Communicator&)>& work);

  static thread_local std::unique_lock<std::mutex>* baton_;  ///< of the thread that runs
  int size_, ranks_per_host_;
  std::vector<int> present_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::vector<int>, Desk> desks_;
  std::size_t running_ = 0, waiting_ = 0;
  bool stuck_ = false;
  Failure failure_;
};

/// A communicator's ranks, by their numbers among all.
struct ImaginedGroup {
  ImaginedRanks* ranks;
  std::vector<int> members;
};

}  // namespace shardfft
