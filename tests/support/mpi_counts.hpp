#pragma once
// The element counts that MPI is given: this header stands in the place of MPI's functions in the one program that
// includes it, and calls them.
#include <mpi.h>

#include <algorithm>
#include <cstdint>

namespace shardfft::test {

/// The largest count so far, of elements that exchanges send: 2, 4, 8 or 16 bytes, or datatypes made of them.
inline std::int64_t& largest_count() {
  static std::int64_t largest = 0;
  return largest;
}

inline void see_count(int count, MPI_Datatype type) {
  const bool of_something_else = type == MPI_BYTE || type == MPI_INT64_T || type == MPI_UINT64_T;
  if (!of_something_else) largest_count() = std::max<std::int64_t>(largest_count(), count);
}

/// Of a collective call: where an element is meant, the displacements too.
inline void see_counts(const int counts[], const int at[], MPI_Datatype type, MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  for (int r = 0; r < size; ++r) {
    see_count(counts[r], type);
    if (counts[r] > 0) see_count(at[r], type);
  }
}

}  // namespace shardfft::test

extern "C" {
int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  shardfft::test::see_count(n, type);
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  shardfft::test::see_count(n, type);
  return PMPI_Irecv(data, n, type, peer, tag, comm, request);
}
int MPI_Ialltoall(const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype to, MPI_Comm comm,
                  MPI_Request* request) {
  shardfft::test::see_count(n, type);
  shardfft::test::see_count(m, to);
  return PMPI_Ialltoall(out, n, type, in, m, to, comm, request);
}
int MPI_Ialltoallv(const void* out, const int n[], const int at[], MPI_Datatype type, void* in, const int m[],
                   const int to_at[], MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  shardfft::test::see_counts(n, at, type, comm);
  shardfft::test::see_counts(m, to_at, to, comm);
  return PMPI_Ialltoallv(out, n, at, type, in, m, to_at, to, comm, request);
}
int MPI_Type_contiguous(int n, MPI_Datatype of, MPI_Datatype* made) {
  shardfft::test::see_count(n, of);
  return PMPI_Type_contiguous(n, of, made);
}
int MPI_Type_create_hvector(int n, int length, MPI_Aint stride, MPI_Datatype of, MPI_Datatype* made) {
  shardfft::test::see_count(n, of);
  return PMPI_Type_create_hvector(n, length, stride, of, made);
}
}
