#pragma once
// RAII over MPI requests.
#include <mpi.h>

#include <cstddef>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

class Watch;

/// What a request stands for; it decides what can be done when the set is destroyed too early.
enum class RequestKind { send, receive };

/// Requests in flight. When it is destroyed before they are done (a call was given up), it abandons them; collectives
/// cannot be cancelled, and are left to MPI with their communicator: their arrays must stay.
class RequestSet {
 public:
  /// Who waits looks at `watch`, and throws what it throws; without one MPI itself waits, for ever.
  explicit RequestSet(Watch* watch = nullptr);
  RequestSet(const RequestSet&) = delete;
  RequestSet& operator=(const RequestSet&) = delete;
  ~RequestSet();

  /// Place for a new request, valid until the next call; the request's index is size() - 1 afterwards.
  MPI_Request* add(RequestKind kind);
  /// The same for a collective call of `comm`.
  MPI_Request* add_collective(const Communicator& comm);
  std::size_t size() const { return requests_.size(); }
  /// Waits for all and empties the set.
  void wait_all();
  /// True, and the set is empty, when all are done. Lets MPI make progress.
  bool test_all();
  /// Waits for one and returns its index, or -1 when none is in flight.
  int wait_any();
  /// Index of a request that is done, or -1. Lets MPI make progress.
  int test_any();
  void clear();
  /// Receives are cancelled, sends are let go; the set is empty, but for collectives.
  void abandon() noexcept;

 private:
  enum class Kind { send, receive, collective };
  MPI_Request* add(Kind kind);
  int count() const;

  Watch* watch_;
  std::vector<MPI_Request> requests_;
  std::vector<Kind> kinds_;
  Communicator collectives_;  ///< of the collective call in the set
};

}  // namespace shardfft
