#pragma once
// Ranks send their part of a trace to rank 0 without waiting for it.
#include <cstddef>
#include <list>
#include <mutex>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

/// Plans with traces may end in different orders on different ranks: a rank's data stays here until rank 0 takes it,
/// and only the end of the last such plan of this process waits for that.
class TraceMail {
 public:
  using Bytes = std::vector<std::byte>;

  static TraceMail& of_process();
  /// A plan with a trace is made, and ends; `wait`: for data on its way, if it was the last one.
  void begin();
  void end(bool wait);
  /// Sends bytes to rank 0; returns at once.
  void send(const Communicator& comm, Bytes bytes);
  /// Waits for the data that `rank` sends with the plan of this communicator.
  static Bytes receive(const Communicator& comm, int rank);

 private:
  struct Letter;
  static bool taken(Letter& letter, bool wait);

  std::mutex mutex_;
  int plans_ = 0;
  std::list<Letter> letters_;
};

}  // namespace shardfft
