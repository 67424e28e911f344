#pragma once
// RAII over MPI requests.
#include <mpi.h>

#include <cstddef>
#include <vector>

#include "mpi/communicator.hpp"

namespace shardfft {

class Watch;

/// The kind of a request; it decides how the set ends if it is destroyed too early.
enum class RequestKind { send, receive };

/// Requests in flight. When it is destroyed before they are done (a call was given up), it abandons them; collectives
/// cannot be cancelled, and are left to MPI with their communicator: their arrays must stay.
class RequestSet {
 public:
  /// While it waits it looks at `watch`, and throws its exceptions; without one MPI itself waits, for ever.
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
  /// True, with an empty set, if all are done. Lets MPI make progress.
  bool test_all();
  /// Waits for one and returns its index, or -1 if none is in flight.
  int wait_any();
  /// Index of a request that is done, or -1. Lets MPI make progress.
  int test_any();
  void clear();
  /// Receives are cancelled, sends are let go; the set is then empty, except for collectives.
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
