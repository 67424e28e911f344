#pragma once
// MPI for a process that has none: one rank, whose collectives copy its data to itself. Only for the extension module
// in wheels for one process. The library never sends messages from a rank to itself: here, messages and derived
// datatypes are errors.
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

// A real MPI library of another package in the same process must neither be taken for this one nor see it.
#pragma GCC visibility push(hidden)

using MPI_Comm = int;
using MPI_Group = int;
using MPI_Request = int;  // all work is done when a call returns: always null
using MPI_Info = int;
using MPI_Errhandler = int;
using MPI_Op = int;  // of one rank's values each is the value
using MPI_Fint = int;
using MPI_Aint = std::intptr_t;
using MPI_Datatype = int;  // the bytes of an element
using MPI_Comm_copy_attr_function = int(MPI_Comm, int, void*, void*, void*, int*);
using MPI_Comm_delete_attr_function = int(MPI_Comm, int, void*, void*);
struct MPI_Status {
  int MPI_SOURCE = 0;
  int MPI_TAG = 0;
  int MPI_ERROR = 0;
};

#define MPI_IN_PLACE (reinterpret_cast<void*>(-1))
#define MPI_STATUS_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_STATUSES_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_COMM_NULL_COPY_FN (static_cast<MPI_Comm_copy_attr_function*>(nullptr))
#define MPI_COMM_NULL_DELETE_FN (static_cast<MPI_Comm_delete_attr_function*>(nullptr))
inline constexpr MPI_Comm MPI_COMM_NULL = 0, MPI_COMM_WORLD = 1, MPI_COMM_SELF = 1;
inline constexpr MPI_Group MPI_GROUP_NULL = 0;
inline constexpr MPI_Request MPI_REQUEST_NULL = 0;
inline constexpr MPI_Info MPI_INFO_NULL = 0;
inline constexpr MPI_Errhandler MPI_ERRORS_RETURN = 0;
inline constexpr MPI_Op MPI_MAX = 1, MPI_MIN = 2, MPI_SUM = 3, MPI_BOR = 4;
inline constexpr MPI_Datatype MPI_DATATYPE_NULL = 0, MPI_BYTE = 1, MPI_CHAR = 1, MPI_UINT16_T = 2, MPI_INT = 4,
                              MPI_INT32_T = 4, MPI_UINT32_T = 4, MPI_FLOAT = 4, MPI_INT64_T = 8, MPI_UINT64_T = 8,
                              MPI_DOUBLE = 8, MPI_C_DOUBLE_COMPLEX = 16;
inline constexpr int MPI_SUCCESS = 0, MPI_ERR_OTHER = 1, MPI_UNDEFINED = -1, MPI_ANY_SOURCE = -2,
                     MPI_KEYVAL_INVALID = -3, MPI_COMM_TYPE_SHARED = 1;
inline constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED = 1, MPI_THREAD_SERIALIZED = 2, MPI_THREAD_MULTIPLE = 3;
inline constexpr int MPI_MAX_ERROR_STRING = 128, MPI_MAX_PROCESSOR_NAME = 128, MPI_MAX_LIBRARY_VERSION_STRING = 128;

namespace one_process {

/// The attributes of communicators, and the last numbers of communicators and keys.
struct State {
  std::mutex mutex;
  int last_comm = MPI_COMM_WORLD;
  int last_key = 0;
  std::map<int, MPI_Comm_delete_attr_function*> forget;  // by key
  std::map<std::pair<MPI_Comm, int>, void*> attributes;  // by communicator and key
};
inline State& state() {
  // Never destroyed: plans that Python frees at its very end still use it.
  static auto* const all = new State;
  return *all;
}
inline int give(int* to, int value) {
  *to = value;
  return MPI_SUCCESS;
}
inline int text(char* to, int* length, std::string_view from) {
  std::memcpy(to, from.data(), from.size());
  to[from.size()] = '\0';
  return give(length, static_cast<int>(from.size()));
}
inline int copy(const void* from, std::int64_t count, MPI_Datatype type, void* to) {
  if (from != MPI_IN_PLACE && to != MPI_IN_PLACE && count > 0)
    std::memmove(to, from, static_cast<std::size_t>(count) * static_cast<std::size_t>(type));
  return MPI_SUCCESS;
}
inline int copy_at(const void* from, int first, int count, MPI_Datatype type, void* to, int at) {
  if (from == MPI_IN_PLACE) return MPI_SUCCESS;
  return copy(static_cast<const char*>(from) + std::int64_t{first} * type, count, type,
              static_cast<char*>(to) + std::int64_t{at} * type);
}
inline int fresh_comm(MPI_Comm* made) {
  const std::lock_guard lock(state().mutex);
  return give(made, ++state().last_comm);
}

}  // namespace one_process

// The process.
inline int MPI_Initialized(int* flag) { return one_process::give(flag, 1); }
inline int MPI_Finalized(int* flag) { return one_process::give(flag, 0); }
inline int MPI_Query_thread(int* level) { return one_process::give(level, MPI_THREAD_MULTIPLE); }
inline int MPI_Is_thread_main(int* flag) { return one_process::give(flag, 1); }
inline int MPI_Get_library_version(char* to, int* length) {
  return one_process::text(to, length, "no MPI: one process");
}
inline int MPI_Get_processor_name(char* to, int* length) { return one_process::text(to, length, "localhost"); }
inline int MPI_Error_string(int, char* to, int* length) {
  return one_process::text(to, length, "there is one process and no MPI, so that nothing can be sent");
}

// Communicators.
inline int MPI_Comm_rank(MPI_Comm, int* rank) { return one_process::give(rank, 0); }
inline int MPI_Comm_size(MPI_Comm, int* size) { return one_process::give(size, 1); }
inline int MPI_Comm_test_inter(MPI_Comm, int* flag) { return one_process::give(flag, 0); }
inline int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
inline MPI_Comm MPI_Comm_f2c(MPI_Fint comm) { return comm; }
inline int MPI_Comm_dup(MPI_Comm, MPI_Comm* made) { return one_process::fresh_comm(made); }
inline int MPI_Comm_split(MPI_Comm, int color, int, MPI_Comm* made) {
  return color == MPI_UNDEFINED ? one_process::give(made, MPI_COMM_NULL) : one_process::fresh_comm(made);
}
inline int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* made) {
  return MPI_Comm_split(comm, type, key, made);
}
inline int MPI_Comm_free(MPI_Comm* comm) {
  auto& all = one_process::state();
  std::map<int, void*> gone;
  {
    const std::lock_guard lock(all.mutex);
    const auto first = all.attributes.lower_bound({*comm, 0});
    const auto last = all.attributes.lower_bound({*comm + 1, 0});
    for (auto at = first; at != last; ++at) gone[at->first.second] = at->second;
    all.attributes.erase(first, last);
  }
  for (const auto& [key, value] : gone)
    if (auto* const forget = all.forget[key]) forget(*comm, key, value, nullptr);
  return one_process::give(comm, MPI_COMM_NULL);
}
inline int MPI_Comm_group(MPI_Comm, MPI_Group* group) { return one_process::give(group, 1); }
inline int MPI_Group_free(MPI_Group* group) { return one_process::give(group, MPI_GROUP_NULL); }
inline int MPI_Group_translate_ranks(MPI_Group, int count, const int* ranks, MPI_Group, int* there) {
  return one_process::copy(ranks, count, MPI_INT, there);
}
inline int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function* forget, int* key,
                                  void*) {
  auto& all = one_process::state();
  const std::lock_guard lock(all.mutex);
  all.forget[++all.last_key] = forget;
  return one_process::give(key, all.last_key);
}
inline int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  auto& all = one_process::state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.attributes.find({comm, key});
  if (found != all.attributes.end()) *static_cast<void**>(value) = found->second;
  return one_process::give(flag, found != all.attributes.end() ? 1 : 0);
}
inline int MPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  auto& all = one_process::state();
  const std::lock_guard lock(all.mutex);
  all.attributes[{comm, key}] = value;
  return MPI_SUCCESS;
}

// Collectives.
inline int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  return one_process::copy(from, count, type, to);
}
inline int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op, MPI_Comm,
                          MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return one_process::copy(from, count, type, to);
}
inline int MPI_Gather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, int, MPI_Comm) {
  return one_process::copy(from, count, type, to);
}
inline int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, MPI_Comm) {
  return one_process::copy(from, count, type, to);
}
inline int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int*, const int* places,
                          MPI_Datatype, MPI_Comm) {
  return one_process::copy_at(from, 0, count, type, to, places[0]);
}
inline int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, MPI_Comm) {
  return one_process::copy(from, count, type, to);
}
inline int MPI_Ialltoall(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, MPI_Comm,
                         MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return one_process::copy(from, count, type, to);
}
inline int MPI_Alltoallv(const void* from, const int* counts, const int* firsts, MPI_Datatype type, void* to,
                         const int*, const int* places, MPI_Datatype, MPI_Comm) {
  return one_process::copy_at(from, firsts[0], counts[0], type, to, places[0]);
}
inline int MPI_Ialltoallv(const void* from, const int* counts, const int* firsts, MPI_Datatype type, void* to,
                          const int* room, const int* places, MPI_Datatype other, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Alltoallv(from, counts, firsts, type, to, room, places, other, comm);
}
inline int MPI_Ialltoallw(const void*, const int* counts, const int*, const MPI_Datatype*, void*, const int*,
                          const int*, const MPI_Datatype*, MPI_Comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return counts[0] == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

// Messages: there is no other rank to send to or receive from.
inline int MPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm) { return MPI_ERR_OTHER; }
inline int MPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*) { return MPI_ERR_OTHER; }
inline int MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
inline int MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
inline int MPI_Send_init(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
inline int MPI_Recv_init(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
inline int MPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm,
                        MPI_Status*) {
  return MPI_ERR_OTHER;
}
inline int MPI_Sendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*) {
  return MPI_ERR_OTHER;
}
inline int MPI_Iprobe(int, int, MPI_Comm, int* flag, MPI_Status*) { return one_process::give(flag, 0); }
inline int MPI_Startall(int count, MPI_Request*) { return count == 0 ? MPI_SUCCESS : MPI_ERR_OTHER; }
inline int MPI_Waitall(int, MPI_Request*, MPI_Status*) { return MPI_SUCCESS; }
inline int MPI_Waitany(int, MPI_Request*, int* index, MPI_Status*) { return one_process::give(index, MPI_UNDEFINED); }
inline int MPI_Test(MPI_Request*, int* flag, MPI_Status*) { return one_process::give(flag, 1); }
inline int MPI_Testall(int, MPI_Request*, int* flag, MPI_Status*) { return one_process::give(flag, 1); }
inline int MPI_Testany(int, MPI_Request*, int* index, int* flag, MPI_Status*) {
  *index = MPI_UNDEFINED;
  return one_process::give(flag, 1);
}
inline int MPI_Cancel(MPI_Request*) { return MPI_SUCCESS; }
inline int MPI_Request_free(MPI_Request* request) { return one_process::give(request, MPI_REQUEST_NULL); }

// Datatypes.
inline int MPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
inline int MPI_Type_free(MPI_Datatype* type) { return one_process::give(type, MPI_DATATYPE_NULL); }
inline int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  *lower = 0;
  *extent = type;
  return MPI_SUCCESS;
}
inline int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype*) { return MPI_ERR_OTHER; }
inline int MPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*) { return MPI_ERR_OTHER; }
inline int MPI_Type_create_struct(int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*) {
  return MPI_ERR_OTHER;
}

#pragma GCC visibility pop
