#pragma once
// Collective calls that a rank leaves if it hears that others failed.
#include <memory>
#include <utility>

#include "mpi/kept_for_mpi.hpp"
#include "mpi/request.hpp"

namespace shardfft {

/// Starts a non-blocking collective by `call(mine, all, request)` and waits for its result, `all`. While it waits it
/// looks at `watch`, and throws its exceptions. Then both buffers are kept until the process ends, because MPI may
/// still use them.
template <class Mine, class All, class Call>
All watched_collective(const Communicator& comm, Watch* watch, Mine mine, All all, const Call& call) {
  const auto numbers = std::make_shared<std::pair<Mine, All>>(std::move(mine), std::move(all));
  RequestSet requests(watch);
  try {
    call(numbers->first, numbers->second, requests.add_collective(comm));
    requests.wait_all();
  } catch (...) {
    keep_for_mpi(numbers);
    throw;
  }
  return std::move(numbers->second);
}

/// MPI_Iallreduce over `count` numbers of `type`, of which `mine` consists.
template <class Numbers>
Numbers watched_allreduce(const Communicator& comm, Watch* watch, const Numbers& mine, int count, MPI_Datatype type,
                          MPI_Op op) {
  return watched_collective(comm, watch, mine, Numbers{}, [&](const Numbers& from, Numbers& to, MPI_Request* request) {
    check_mpi(MPI_Iallreduce(&from, &to, count, type, op, comm.get(), request), "MPI_Iallreduce");
  });
}

}  // namespace shardfft
