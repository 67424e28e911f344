#pragma once
// Ranks tell each other the names of objects that they offer (base/proof.hpp), and learn which ranks found them.
#include <algorithm>
#include <vector>

#include "base/proof.hpp"
#include "mpi/communicator.hpp"

namespace shardfft {

inline Proof draw_proof(int rank) { return {random_word(), static_cast<std::uint64_t>(rank)}; }

/// The `mine` of all ranks: plain bytes. Collective.
template <class Record>
std::vector<Record> gather_bytes(const Communicator& comm, const Record& mine) {
  std::vector<Record> all(static_cast<std::size_t>(comm.size()));
  comm.gather(&mine, all.data(), sizeof(Record));
  return all;
}

/// Tells all ranks this one's offer and calls `look(rank, offer)` -> Found for those of all, its own among them.
/// Returns for each rank the worse of two findings: this rank's of its offer, and its finding of this rank's. When it
/// returns, all ranks have looked at all offers. `look` must not throw. Collective.
template <class Offer, class Look>
std::vector<Found> look_at_offers(const Communicator& comm, const Offer& mine, const Look& look) {
  const std::vector<Offer> offers = gather_bytes(comm, mine);
  std::vector<Found> found;
  for (int rank = 0; rank < comm.size(); ++rank) found.push_back(look(rank, offers[static_cast<std::size_t>(rank)]));
  std::vector<Found> theirs(found.size());
  check_mpi(MPI_Alltoall(found.data(), sizeof(Found), MPI_BYTE, theirs.data(), sizeof(Found), MPI_BYTE, comm.get()),
            "MPI_Alltoall");
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::max(found[i], theirs[i]);
  return found;
}

}  // namespace shardfft
