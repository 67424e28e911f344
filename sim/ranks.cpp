// Replacements of memory, clock and computations for simulated ranks (base/hooks), and calls of MPI that first let the
// time of the computations pass.
#include "ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

namespace shardfft::sim {

namespace {

Figures figures;           ///< of all ranks, which are in one process
std::vector<double> owed;  ///< by actor: seconds of computations that have not passed yet

double& owed_here() {
  const auto actor = static_cast<std::size_t>(simgrid::s4u::this_actor::get_pid());
  if (actor >= owed.size()) owed.resize(actor + 1, 0);
  return owed[actor];
}

/// Copies of bundles of lines have one side in memory and one in a cache; transforms of bundles have both in cache.
class ModelledWork : public ComputeHook {
 public:
  void compute(const Work& work, const std::function<void()>&) override {
    const bool bundled = work.bytes <= figures.cache_bytes;
    const double slow = 1 / figures.memory, fast = 1 / std::max(figures.cache, figures.memory);
    double a_byte = bundled ? (slow + fast) / 2 : slow;
    if (bundled && (work.flops > 0 || bytes_here() <= figures.cache_bytes)) a_byte = fast;
    const bool product = work.flops > 6 * work.bytes;  // of matrices: Fourier transforms have at most 5 a byte
    owed_here() += work.bytes * a_byte + work.flops / (product ? figures.products : figures.flops);
  }
  std::map<long, double> bytes;

 private:
  double bytes_here() { return bytes[simgrid::s4u::this_actor::get_pid()]; }
};

class ModelledClock : public Clock {
 public:
  double seconds() override { return simgrid::s4u::Engine::get_clock() + owed_here(); }
};

/// Large arrays are in slots that all ranks share: nobody reads or writes them. SMPI knows the slots and copies no
/// messages there.
class OneMemory : public MemorySource {
 public:
  explicit OneMemory(ModelledWork& work) : work_(work) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    const long rank = simgrid::s4u::this_actor::get_pid();
    work_.bytes[rank] += static_cast<double>(bytes);
    if (bytes < large) return std::aligned_alloc(alignment, bytes);
    auto slot = std::find_if(slots_.begin(), slots_.end(),
                             [&](const Slot& one) { return one.bytes >= bytes && !one.taken.contains(rank); });
    if (slot == slots_.end()) slot = slots_.insert(slot, Slot{SMPI_SHARED_MALLOC(bytes), bytes, {}});
    slot->taken.insert(rank);
    return slot->memory;
  }
  void release(void* memory, std::size_t bytes) noexcept override {
    const long rank = simgrid::s4u::this_actor::get_pid();
    work_.bytes[rank] -= static_cast<double>(bytes);
    if (bytes < large) return std::free(memory);
    for (Slot& slot : slots_)
      if (slot.memory == memory) slot.taken.erase(rank);
  }

 private:
  struct Slot {
    void* memory;
    std::size_t bytes;
    std::set<long> taken;  ///< the ranks that use it
  };
  static constexpr std::size_t large = 1 << 16;
  ModelledWork& work_;
  std::vector<Slot> slots_;
};

}  // namespace

void install(const Figures& told) {
  static bool installed = false;
  if (std::exchange(installed, true)) return;
  figures = told;
  static SimulatedRanks ranks;
  static Installed<SimulatedRanks> simulated(ranks);
  if (!figures.model) return;
  static ModelledWork work;
  static ModelledClock clock;
  static OneMemory memory(work);
  static Installed<ComputeHook> computes(work);
  static Installed<Clock> tells(clock);
  static Installed<MemorySource> allocates(memory);
}

namespace {

/// Lets the time of this rank's computations pass, with the processor's time for `messages` messages.
void settle(int messages = 0) {
  double& seconds = owed_here();
  seconds += messages * figures.overhead;
  if (seconds > 0) simgrid::s4u::this_actor::sleep_for(std::exchange(seconds, 0));
}

int ranks_per_node() { return figures.ranks_per_node; }

int others(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size - 1;
}
}  // namespace

// Calls of MPI that let time pass, by SMPI's own functions.
#define SETTLED(name, messages, parameters, ...) \
  int MPI_##name parameters {                    \
    settle(messages);                            \
    return PMPI_##name(__VA_ARGS__);             \
  }

extern "C" {
SETTLED(Isend, 1, (const void* a, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r), a, n, t, to, tag,
        c, r)
SETTLED(Irecv, 1, (void* a, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r), a, n, t, from, tag,
        c, r)
SETTLED(Send, 1, (const void* a, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), a, n, t, to, tag, c)
SETTLED(Recv, 1, (void* a, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s), a, n, t, from, tag, c,
        s)
SETTLED(Startall, n, (int n, MPI_Request* r), n, r)
SETTLED(Waitall, 0, (int n, MPI_Request* r, MPI_Status* s), n, r, s)
SETTLED(Waitany, 0, (int n, MPI_Request* r, int* i, MPI_Status* s), n, r, i, s)
SETTLED(Testall, 0, (int n, MPI_Request* r, int* f, MPI_Status* s), n, r, f, s)
SETTLED(Testany, 0, (int n, MPI_Request* r, int* i, int* f, MPI_Status* s), n, r, i, f, s)
SETTLED(Test, 0, (MPI_Request * r, int* f, MPI_Status* s), r, f, s)
SETTLED(Barrier, 0, (MPI_Comm c), c)
SETTLED(Bcast, 0, (void* a, int n, MPI_Datatype t, int root, MPI_Comm c), a, n, t, root, c)
SETTLED(Allreduce, 0, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), a, b, n, t, o, c)
SETTLED(Iallreduce, 0, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* r), a, b, n,
        t, o, c, r)
SETTLED(Allgather, 0, (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, MPI_Comm c), a, n, t, b, m,
        u, c)
SETTLED(Gather, 0, (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root, MPI_Comm c), a, n,
        t, b, m, u, root, c)
SETTLED(Sendrecv, 2,
        (const void* a, int n, MPI_Datatype t, int to, int tag, void* b, int m, MPI_Datatype u, int from, int tag2,
         MPI_Comm c, MPI_Status* s),
        a, n, t, to, tag, b, m, u, from, tag2, c, s)
SETTLED(Sendrecv_replace, 2,
        (void* a, int n, MPI_Datatype t, int to, int tag, int from, int tag2, MPI_Comm c, MPI_Status* s), a, n, t, to,
        tag, from, tag2, c, s)
SETTLED(Ialltoall, 2 * others(c),
        (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, MPI_Comm c, MPI_Request* r), a, n, t, b,
        m, u, c, r)
SETTLED(Ialltoallv, 2 * others(c),
        (const void* a, const int* n, const int* d, MPI_Datatype t, void* b, const int* m, const int* e, MPI_Datatype u,
         MPI_Comm c, MPI_Request* r),
        a, n, d, t, b, m, e, u, c, r)
SETTLED(Ialltoallw, 2 * others(c),
        (const void* a, const int* n, const int* d, const MPI_Datatype* t, void* b, const int* m, const int* e,
         const MPI_Datatype* u, MPI_Comm c, MPI_Request* r),
        a, n, d, t, b, m, e, u, c, r)

double MPI_Wtime() {
  settle();
  return PMPI_Wtime();
}

/// SMPI starts no threads; only one uses it at a time.
int MPI_Query_thread(int* level) {
  *level = MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}

/// In SimGrid a host is one rank; the ranks of a node are its neighbours.
int MPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm* part) {
  int world = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world);
  return PMPI_Comm_split(comm, world / ranks_per_node(), key, part);
}
}

}  // namespace shardfft::sim
