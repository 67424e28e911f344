#pragma once
// Counts the calls in which ranks wait for each other: this header stands in the place of MPI's functions in the one
// program that includes it, and calls them. Beside these, meetings in a call of a plan are messages of the library's
// own.
#include <mpi.h>

namespace shardfft::test {

/// Of this program so far.
inline int& meetings() {
  static int count = 0;
  return count;
}

}  // namespace shardfft::test

extern "C" {
int MPI_Barrier(MPI_Comm comm) {
  ++shardfft::test::meetings();
  return PMPI_Barrier(comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++shardfft::test::meetings();
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++shardfft::test::meetings();
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Allgather(const void* from, int sent, MPI_Datatype type, void* to, int received, MPI_Datatype to_type,
                  MPI_Comm comm) {
  ++shardfft::test::meetings();
  return PMPI_Allgather(from, sent, type, to, received, to_type, comm);
}
int MPI_Allgatherv(const void* from, int sent, MPI_Datatype type, void* to, const int received[], const int at[],
                   MPI_Datatype to_type, MPI_Comm comm) {
  ++shardfft::test::meetings();
  return PMPI_Allgatherv(from, sent, type, to, received, at, to_type, comm);
}
int MPI_Alltoall(const void* from, int sent, MPI_Datatype type, void* to, int received, MPI_Datatype to_type,
                 MPI_Comm comm) {
  ++shardfft::test::meetings();
  return PMPI_Alltoall(from, sent, type, to, received, to_type, comm);
}
}
