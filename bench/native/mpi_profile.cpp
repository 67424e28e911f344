#include "mpi_profile.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

// Where Fortran programs have MPI_IN_PLACE, in Open MPI and in MPICH; absent in programs without Fortran.
extern "C" {
extern int mpi_fortran_in_place_ __attribute__((weak));
extern void* MPIR_F_MPI_IN_PLACE __attribute__((weak));
}

namespace {

bool counting = false;
shardfft::bench::MpiUse use;

// Bytes that each persistent request hands over at every start, by its handle in Fortran.
std::map<MPI_Fint, std::int64_t> kept;
std::mutex keeping;

MPI_Fint handle(const MPI_Request* request) { return PMPI_Request_c2f(*request); }

struct FortranRequest {
  MPI_Fint handle;
};
MPI_Fint handle(const FortranRequest* request) { return request->handle; }

template <class Request>
void forget(const Request* request) {
  const std::lock_guard lock(keeping);
  kept.erase(handle(request));
}

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
  void sent(std::int64_t bytes) {
    if (active_) use.bytes += bytes;
  }
  // A persistent request is made while nothing is counted: while plans are made.
  template <class Request>
  void keep(const Request* request, std::int64_t bytes) {
    const std::lock_guard lock(keeping);
    kept[handle(request)] = bytes;
  }
  template <class Count, class Request>
  void started(Count count, const Request* requests) {
    if (!active_) return;
    const std::lock_guard lock(keeping);
    for (Count i = 0; i < count; ++i)
      if (const auto found = kept.find(handle(requests + i)); found != kept.end()) use.bytes += found->second;
  }

 private:
  bool active_;
  double start_;
};

// What a call hands over for other ranks. Counts and types are a number for all peers, or a list.
class Bytes {
 public:
  // Persistent calls want it although nothing is counted then.
  explicit Bytes(const Call&) {}

  template <class Count>
  std::int64_t to_one(Count count, MPI_Datatype type, int peer, MPI_Comm comm) const {
    return peer != MPI_PROC_NULL && peer != rank(comm) ? of(count, type, 0) : 0;
  }
  template <class Count>
  std::int64_t once(Count count, MPI_Datatype type, MPI_Comm comm) const {
    return peers(comm) > 1 ? of(count, type, 0) : 0;
  }
  template <class Out, class In>
  std::int64_t to_all(const void* data, Out count, MPI_Datatype type, In in_count, MPI_Datatype in,
                      MPI_Comm comm) const {
    return std::int64_t(peers(comm) - 1) * (data == MPI_IN_PLACE ? of(in_count, in, 0) : of(count, type, 0));
  }
  // The same number for each peer; in place it is the receivers' list that tells it.
  template <class Out, class In>
  std::int64_t of_all(const void* data, Out count, MPI_Datatype type, In counts, MPI_Datatype in, MPI_Comm comm) const {
    return std::int64_t(peers(comm) - 1) * (data == MPI_IN_PLACE ? of(counts, in, rank(comm)) : of(count, type, 0));
  }
  template <class Out, class Types, class In>
  std::int64_t to_each(const void* data, Out counts, const Types& types, In in_counts, const Types& in,
                       MPI_Comm comm) const {
    std::int64_t sum = 0;
    for (int peer = 0; peer < peers(comm); ++peer)
      if (peer != rank(comm)) sum += data == MPI_IN_PLACE ? of(in_counts, in, peer) : of(counts, types, peer);
    return sum;
  }
  template <class Count>
  std::int64_t to_root(Count count, MPI_Datatype type, int root, MPI_Comm comm) const {
    return root >= 0 && root != rank(comm) ? of(count, type, 0) : 0;
  }
  template <class Count>
  std::int64_t from_root(Count counts, MPI_Datatype type, int root, MPI_Comm comm) const {
    std::int64_t sum = 0;
    for (int peer = 0; root == rank(comm) && peer < peers(comm); ++peer)
      if (peer != root) sum += of(counts, type, peer);
    return sum;
  }
  template <class Count, class Types>
  std::int64_t to_neighbours(Count counts, const Types& types, MPI_Comm comm) const {
    std::int64_t sum = 0;
    for (int peer = 0; peer < neighbours(comm); ++peer) sum += of(counts, types, peer);
    return sum;
  }
  template <class Count>
  std::int64_t in_window(Count count, MPI_Datatype type, int target, MPI_Win window) const {
    MPI_Group group;
    int mine = 0;
    PMPI_Win_get_group(window, &group);
    PMPI_Group_rank(group, &mine);
    PMPI_Group_free(&group);
    return target != MPI_PROC_NULL && target != mine ? of(count, type, 0) : 0;
  }

 private:
  static int rank(MPI_Comm comm) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
  }
  static int peers(MPI_Comm comm) {
    int inter = 0, peers = 1;
    PMPI_Comm_test_inter(comm, &inter);
    inter ? PMPI_Comm_remote_size(comm, &peers) : PMPI_Comm_size(comm, &peers);
    return peers;
  }
  static int neighbours(MPI_Comm comm) {
    int topology = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    if (topology == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, rank(comm), &out);
    if (topology == MPI_CART) {
      PMPI_Cartdim_get(comm, &out);
      out *= 2;
    }
    return out;
  }
  template <class Value>
  static auto entry(const Value& value, int peer) {
    if constexpr (std::is_pointer_v<Value>)
      return value ? value[peer] : std::remove_cv_t<std::remove_pointer_t<Value>>{};
    else
      return value;
  }
  template <class Count>
  static std::int64_t of(const Count& count, MPI_Datatype type, int peer) {
    return of(count, &type, peer, 0);
  }
  template <class Count>
  static std::int64_t of(const Count& count, const MPI_Datatype* types, int peer) {
    return of(count, types, peer, peer);
  }
  template <class Count>
  static std::int64_t of(const Count& count, const MPI_Datatype* types, int peer, int which) {
    const auto number = std::int64_t(entry(count, peer));
    // What is not sent may have no type.
    if (number == 0 || !types || types[which] == MPI_DATATYPE_NULL) return 0;
    MPI_Count size = 0;
    PMPI_Type_size_x(types[which], &size);
    return number * std::int64_t(size);
  }
};

MPI_Datatype type_of(const void* fortran) { return PMPI_Type_f2c(*static_cast<const MPI_Fint*>(fortran)); }

const void* buffer_of(const void* fortran) {
  const void* in_place[] = {&mpi_fortran_in_place_, &MPIR_F_MPI_IN_PLACE ? MPIR_F_MPI_IN_PLACE : nullptr};
  for (const void* one : in_place)
    if (one && fortran == one) return MPI_IN_PLACE;
  return fortran;
}

// A list of datatypes in C's handles: one for each peer.
class Types {
 public:
  Types(const void* fortran, MPI_Comm comm) {
    int peers = 0, topology = MPI_UNDEFINED;
    PMPI_Comm_size(comm, &peers);
    PMPI_Topo_test(comm, &topology);
    if (topology != MPI_UNDEFINED) return;  // a neighbourhood's list has another length: its bytes stay uncounted
    for (int peer = 0; peer < peers; ++peer) types_.push_back(type_of(static_cast<const MPI_Fint*>(fortran) + peer));
  }
  operator const MPI_Datatype*() const { return types_.empty() ? nullptr : types_.data(); }

 private:
  std::vector<MPI_Datatype> types_;
};

// The MPI library's own function, that a wrapper stands before; calls of it only come from what is linked with it.
void* behind(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found) return found;
  std::fprintf(stderr, "the driver was linked without the part of MPI that has %s\n", name);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  return nullptr;
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

std::int64_t mpi_calls() { return use.calls; }

}  // namespace shardfft::bench

extern "C" {
#include "mpi_wrappers.inc"
}
