#pragma once
// Ranks that are no processes: each is a thread of this one, and they meet in memory. What is planned for them is
// what real ranks would plan; nothing can be sent. One thread runs at a time, until it waits for others.
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// Of `size` ranks, `ranks_per_host` in a row on each host, those that are `present` do the work. In a meeting a rank
/// that is absent says what the listener says.
class ImaginedRanks {
 public:
  ImaginedRanks(int size, int ranks_per_host, std::vector<int> present);
  /// `work` on each rank that is present, with the communicator of all. Throws what the first of them threw.
  void run(const std::function<void(const Communicator&)>& work);
  /// Whether this thread is one of such ranks, which must not call MPI.
  static bool work_here() { return baton_ != nullptr; }

 private:
  friend class Communicator;
  using Bytes = std::vector<std::byte>;
  /// Where the members of one group meet, one turn after the other.
  struct Desk {
    std::size_t expected = 0;
    std::map<int, Bytes> told, heard;  ///< by rank
    std::size_t turn = 0;
  };

  void gather(const ImaginedGroup& group, int rank, const void* mine, void* all, std::size_t bytes);
  /// Lets all fail that wait if nobody is left for whom they could.
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
