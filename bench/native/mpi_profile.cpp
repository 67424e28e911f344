#include "mpi_profile.hpp"

#include <mpi.h>

namespace {

bool counting = false;
shardfft::bench::MpiUse use;

// Adds the life of the object to the time spent in MPI. Calls made inside another call are not counted twice.
class Call {
 public:
  Call() : active_(counting), start_(active_ ? PMPI_Wtime() : 0) { counting = false; }
  ~Call() {
    if (!active_) return;
    use.seconds += PMPI_Wtime() - start_;
    ++use.calls;
    counting = true;
  }
  bool active() const { return active_; }
  void sent(std::int64_t count, MPI_Datatype type) {
    if (!active_) return;
    int size = 0;
    PMPI_Type_size(type, &size);
    use.bytes += count * size;
  }

 private:
  bool active_;
  double start_;
};

struct Place {
  int rank = 0;
  int ranks = 1;
};

Place place_in(MPI_Comm comm) {
  Place place;
  PMPI_Comm_rank(comm, &place.rank);
  PMPI_Comm_size(comm, &place.ranks);
  return place;
}

void sent_to_all(Call& call, int count, MPI_Datatype type, MPI_Comm comm) {
  if (call.active() && type != MPI_DATATYPE_NULL) call.sent(std::int64_t(count) * (place_in(comm).ranks - 1), type);
}

void sent_to_each(Call& call, const int counts[], MPI_Datatype type, MPI_Comm comm) {
  if (!call.active() || !counts) return;
  const Place place = place_in(comm);
  for (int peer = 0; peer < place.ranks; ++peer)
    if (peer != place.rank) call.sent(counts[peer], type);
}

void sent_typed(Call& call, const int counts[], const MPI_Datatype types[], MPI_Comm comm) {
  if (!call.active() || !counts) return;
  const Place place = place_in(comm);
  for (int peer = 0; peer < place.ranks; ++peer)
    if (peer != place.rank && counts[peer] > 0) call.sent(counts[peer], types[peer]);
}

void sent_to_one(Call& call, int count, MPI_Datatype type, int peer, MPI_Comm comm) {
  if (call.active() && peer != MPI_PROC_NULL && peer != place_in(comm).rank) call.sent(count, type);
}

}  // namespace

namespace shardfft::bench {

void start_counting_mpi() {
  use = {};
  counting = true;
}

MpiUse stop_counting_mpi() {
  counting = false;
  return use;
}

}  // namespace shardfft::bench

extern "C" {

int MPI_Alltoall(const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype to, MPI_Comm comm) {
  Call call;
  if (out != MPI_IN_PLACE)
    sent_to_all(call, n, type, comm);
  else
    sent_to_all(call, m, to, comm);
  return PMPI_Alltoall(out, n, type, in, m, to, comm);
}

int MPI_Alltoallv(const void* out, const int n[], const int at[], MPI_Datatype type, void* in, const int m[],
                  const int to_at[], MPI_Datatype to, MPI_Comm comm) {
  Call call;
  if (out != MPI_IN_PLACE)
    sent_to_each(call, n, type, comm);
  else
    sent_to_each(call, m, to, comm);
  return PMPI_Alltoallv(out, n, at, type, in, m, to_at, to, comm);
}

int MPI_Alltoallw(const void* out, const int n[], const int at[], const MPI_Datatype types[], void* in, const int m[],
                  const int to_at[], const MPI_Datatype to[], MPI_Comm comm) {
  Call call;
  if (out != MPI_IN_PLACE)
    sent_typed(call, n, types, comm);
  else
    sent_typed(call, m, to, comm);
  return PMPI_Alltoallw(out, n, at, types, in, m, to_at, to, comm);
}

int MPI_Ialltoall(const void* out, int n, MPI_Datatype type, void* in, int m, MPI_Datatype to, MPI_Comm comm,
                  MPI_Request* request) {
  Call call;
  if (out != MPI_IN_PLACE) sent_to_all(call, n, type, comm);
  return PMPI_Ialltoall(out, n, type, in, m, to, comm, request);
}

int MPI_Ialltoallv(const void* out, const int n[], const int at[], MPI_Datatype type, void* in, const int m[],
                   const int to_at[], MPI_Datatype to, MPI_Comm comm, MPI_Request* request) {
  Call call;
  if (out != MPI_IN_PLACE) sent_to_each(call, n, type, comm);
  return PMPI_Ialltoallv(out, n, at, type, in, m, to_at, to, comm, request);
}

int MPI_Send(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  Call call;
  sent_to_one(call, n, type, peer, comm);
  return PMPI_Send(data, n, type, peer, tag, comm);
}

int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call;
  sent_to_one(call, n, type, peer, comm);
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}

int MPI_Recv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  return PMPI_Recv(data, n, type, peer, tag, comm, status);
}

int MPI_Irecv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call;
  return PMPI_Irecv(data, n, type, peer, tag, comm, request);
}

int MPI_Sendrecv(const void* out, int n, MPI_Datatype type, int peer, int tag, void* in, int m, MPI_Datatype to,
                 int from, int from_tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  sent_to_one(call, n, type, peer, comm);
  return PMPI_Sendrecv(out, n, type, peer, tag, in, m, to, from, from_tag, comm, status);
}

int MPI_Sendrecv_replace(void* data, int n, MPI_Datatype type, int peer, int tag, int from, int from_tag, MPI_Comm comm,
                         MPI_Status* status) {
  Call call;
  sent_to_one(call, n, type, peer, comm);
  return PMPI_Sendrecv_replace(data, n, type, peer, tag, from, from_tag, comm, status);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Call call;
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
  Call call;
  return PMPI_Waitall(n, requests, statuses);
}

int MPI_Waitany(int n, MPI_Request requests[], int* which, MPI_Status* status) {
  Call call;
  return PMPI_Waitany(n, requests, which, status);
}

int MPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  Call call;
  return PMPI_Testall(n, requests, done, statuses);
}

int MPI_Testany(int n, MPI_Request requests[], int* which, int* done, MPI_Status* status) {
  Call call;
  return PMPI_Testany(n, requests, which, done, status);
}

int MPI_Barrier(MPI_Comm comm) {
  Call call;
  return PMPI_Barrier(comm);
}

int MPI_Win_fence(int assertion, MPI_Win window) {
  Call call;
  return PMPI_Win_fence(assertion, window);
}

}  // extern "C"
