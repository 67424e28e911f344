#include "mpi/request.hpp"

#include "base/check.hpp"
#include "mpi/communicator.hpp"

namespace shardfft {

MPI_Request* RequestSet::add(RequestKind kind) {
  kinds_.push_back(kind);
  requests_.push_back(MPI_REQUEST_NULL);
  return &requests_.back();
}

int RequestSet::count() const { return narrow(static_cast<std::int64_t>(requests_.size()), "requests"); }

void RequestSet::clear() {
  requests_.clear();
  kinds_.clear();
}

void RequestSet::wait_all() {
  check_mpi(MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  clear();
}

bool RequestSet::test_all() {
  int done = 0;
  check_mpi(MPI_Testall(count(), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  if (done != 0) clear();
  return done != 0;
}

int RequestSet::wait_any() {
  int index = MPI_UNDEFINED;
  check_mpi(MPI_Waitany(count(), requests_.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
  return index == MPI_UNDEFINED ? -1 : index;
}

int RequestSet::test_any() {
  int index = MPI_UNDEFINED;
  int done = 0;
  check_mpi(MPI_Testany(count(), requests_.data(), &index, &done, MPI_STATUS_IGNORE), "MPI_Testany");
  return done == 0 || index == MPI_UNDEFINED ? -1 : index;
}

void RequestSet::abandon() noexcept {
  if (mpi_finalized()) return;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (kinds_[i] == RequestKind::receive) {
      MPI_Cancel(&requests_[i]);
      MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    } else if (kinds_[i] == RequestKind::send) {
      MPI_Request_free(&requests_[i]);
    }
  }
}

}  // namespace shardfft
