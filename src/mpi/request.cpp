#include "mpi/request.hpp"

#include "base/check.hpp"
#include "base/simulated_ranks.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "mpi/watch.hpp"

namespace shardfft {

RequestSet::RequestSet(Watch* watch) : watch_(ranks_are_simulated() ? nullptr : watch) {
  if (watch_ != nullptr) watch_->add(this);
}

RequestSet::~RequestSet() {
  abandon();
  if (watch_ != nullptr) watch_->remove(this);
  if (requests_.empty() || mpi_finalized()) return;
  keep_for_mpi(std::make_shared<Communicator>(collectives_));
}

MPI_Request* RequestSet::add(Kind kind) {
  kinds_.push_back(kind);
  requests_.push_back(MPI_REQUEST_NULL);
  return &requests_.back();
}

MPI_Request* RequestSet::add(RequestKind kind) { return add(kind == RequestKind::send ? Kind::send : Kind::receive); }

MPI_Request* RequestSet::add_collective(const Communicator& comm) {
  collectives_ = comm;
  return add(Kind::collective);
}

int RequestSet::count() const { return narrow(static_cast<std::int64_t>(requests_.size()), "requests"); }

void RequestSet::clear() {
  requests_.clear();
  kinds_.clear();
}

void RequestSet::wait_all() {
  if (watch_ != nullptr) {
    wait_until(watch_, [this] { return test_all(); });
    return;
  }
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
  if (ranks_are_simulated()) {
    check_mpi(MPI_Waitany(count(), requests_.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
    return index == MPI_UNDEFINED ? -1 : index;
  }
  wait_until(watch_, [&] {
    int done = 0;
    check_mpi(MPI_Testany(count(), requests_.data(), &index, &done, MPI_STATUS_IGNORE), "MPI_Testany");
    return done != 0;
  });
  return index == MPI_UNDEFINED ? -1 : index;
}

int RequestSet::test_any() {
  int index = MPI_UNDEFINED;
  int done = 0;
  check_mpi(MPI_Testany(count(), requests_.data(), &index, &done, MPI_STATUS_IGNORE), "MPI_Testany");
  return done == 0 || index == MPI_UNDEFINED ? -1 : index;
}

namespace {

/// A receive whose message has begun to arrive cannot be cancelled, and its sender may have failed: the wait is short.
void end_receive(MPI_Request& request) {
  constexpr double seconds = 0.1;
  MPI_Cancel(&request);
  int done = 0;
  for (Patience patience; done == 0 && patience.waited() < seconds; patience.rest())
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
  if (done == 0 && request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

}  // namespace

void RequestSet::abandon() noexcept {
  if (mpi_finalized()) return;
  bool collective = false;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (kinds_[i] == Kind::receive) end_receive(requests_[i]);
    if (kinds_[i] == Kind::send) MPI_Request_free(&requests_[i]);
    collective = collective || kinds_[i] == Kind::collective;
  }
  if (!collective) clear();
}

}  // namespace shardfft
