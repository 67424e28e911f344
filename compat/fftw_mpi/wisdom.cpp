// Sends wisdom of FFTW's serial plans, which transforms of one rank's data use, from rank to rank.
#include <cstdlib>
#include <memory>
#include <string>

#include "planner.hpp"

namespace shardfft::compat {

namespace {

std::string exported(Export from) {
  const std::unique_ptr<char, void (*)(void*)> text(from(), std::free);
  return text ? text.get() : "";
}

void send(MPI_Comm comm, const std::string& text, int to) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, 0, comm);
}

std::string received(MPI_Comm comm, int from) {
  MPI_Status status;
  MPI_Probe(from, 0, comm, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  std::string text(static_cast<std::size_t>(count), '\0');
  MPI_Recv(text.data(), count, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE);
  return text;
}

/// Calls `work` with a copy of the communicator, which the caller's messages cannot reach, and its ranks.
template <class Work>
void on_copy(MPI_Comm comm, Work work) {
  MPI_Comm own;
  MPI_Comm_dup(comm, &own);
  int ranks = 1, rank = 0;
  MPI_Comm_size(own, &ranks);
  MPI_Comm_rank(own, &rank);
  work(own, ranks, rank);
  MPI_Comm_free(&own);
}

}  // namespace

void broadcast_wisdom(MPI_Comm comm, Export from, Import to) {
  on_copy(comm, [&](MPI_Comm own, int ranks, int rank) {
    if (rank != 0) {
      to(received(own, 0).c_str());
      return;
    }
    const std::string text = exported(from);
    for (int other = 1; other < ranks; ++other) send(own, text, other);
  });
}

void gather_wisdom(MPI_Comm comm, Export from, Import to) {
  on_copy(comm, [&](MPI_Comm own, int ranks, int rank) {
    if (rank != 0) {
      send(own, exported(from), 0);
      return;
    }
    for (int other = 1; other < ranks; ++other) to(received(own, other).c_str());
  });
}

}  // namespace shardfft::compat
