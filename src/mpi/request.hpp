#pragma once
// RAII over MPI requests.
#include <mpi.h>

#include <cstddef>
#include <vector>

namespace shardfft {

/// What a request stands for; it decides what can be done when the set is destroyed too early.
enum class RequestKind { send, receive, collective };

/// Requests in flight. When it is destroyed before they are done (an exception unwinds), receives are cancelled and
/// sends are given up; collectives cannot be, and are left to MPI.
class RequestSet {
 public:
  RequestSet() = default;
  RequestSet(const RequestSet&) = delete;
  RequestSet& operator=(const RequestSet&) = delete;
  ~RequestSet() { abandon(); }

  /// Place for a new request, valid until the next call; the request's index is size() - 1 afterwards.
  MPI_Request* add(RequestKind kind);
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

 private:
  void abandon() noexcept;
  int count() const;

  std::vector<MPI_Request> requests_;
  std::vector<RequestKind> kinds_;
};

}  // namespace shardfft
