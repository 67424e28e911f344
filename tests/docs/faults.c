/* Preloaded before an MPI program. FAULT=sign: each large message has one sign wrong. FAULT=swap: of a collective call
   two messages of one size change places. FAULT=unreadable: no process may read another one's memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int is(const char* fault) {
  const char* told = getenv("FAULT");
  return told != NULL && strcmp(told, fault) == 0;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  if (is("sign") && (long)count * bytes >= 256) ((unsigned char*)(size_t)data)[16 * (count / 2) + 7] ^= 0x80;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Ialltoallv(const void* out, const int out_counts[], const int out_at[], MPI_Datatype out_type, void* in,
                   const int in_counts[], const int in_at[], MPI_Datatype in_type, MPI_Comm comm,
                   MPI_Request* request) {
  static int swapped[64];
  int ranks = 0, a, b;
  PMPI_Comm_size(comm, &ranks);
  memcpy(swapped, out_at, sizeof(int) * (size_t)(ranks < 64 ? ranks : 64));
  if (is("swap") && ranks < 64)
    for (a = 0; a < ranks; ++a)
      for (b = a + 1; b < ranks; ++b)
        if (out_counts[a] == out_counts[b] && out_counts[a] > 0) swapped[a] = out_at[b], swapped[b] = out_at[a];
  return PMPI_Ialltoallv(out, out_counts, is("swap") ? swapped : out_at, out_type, in, in_counts, in_at, in_type, comm,
                         request);
}

struct iovec;
ssize_t process_vm_readv(pid_t process, const struct iovec* here, unsigned long here_count, const struct iovec* there,
                         unsigned long there_count, unsigned long flags) {
  ssize_t (*next)(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long, unsigned long);
  *(void**)&next = dlsym(RTLD_NEXT, "process_vm_readv");
  if (!is("unreadable") && next != NULL) return next(process, here, here_count, there, there_count, flags);
  errno = EPERM;
  return -1;
}
