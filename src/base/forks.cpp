#include "base/forks.hpp"

#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace shardfft {

namespace {

struct Shared {
  std::size_t bytes;
  int descriptor;
  std::size_t offset;
};

/// The state that forks change. Never destroyed: processes fork while they end, too.
struct Process {
  std::uint64_t forks = 0;
  std::atomic<std::uint64_t> begun = 0;
  std::mutex mutex;
  std::map<std::byte*, Shared> shared;
  std::vector<void (*)()> in_each_child;
};

Process& process() {
  static Process& one = *new Process;
  return one;
}

void before_fork() {
  // A child has none of the threads that OpenMP keeps for the next team, and GNU's would wait for them for ever.
  // Therefore this thread's end here, and both processes start new ones when they need any.
  omp_pause_resource_all(omp_pause_soft);
  process().begun.fetch_add(1, std::memory_order_relaxed);  // a count, which orders nothing
  process().mutex.lock();
}

void after_fork() { process().mutex.unlock(); }

/// Gives a child its own memory, or none, in place of the shared memory.
void in_child() {
  ++process().forks;
  for (const auto& [memory, shared] : process().shared) {
    const bool copy = shared.descriptor >= 0;
    const int file = copy ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    // If the kernel refuses, no memory is better than the others'.
    if (mmap(memory, shared.bytes, copy ? PROT_READ | PROT_WRITE : PROT_NONE, file | MAP_FIXED, shared.descriptor,
             static_cast<off_t>(shared.offset)) == MAP_FAILED)
      munmap(memory, shared.bytes);
  }
  after_fork();
  for (void (*work)() : process().in_each_child) work();
}

[[maybe_unused]] const int watched = pthread_atfork(before_fork, after_fork, in_child);

}  // namespace

std::uint64_t forks_begun() { return process().begun.load(std::memory_order_relaxed); }

InEachChild::InEachChild(void (*work)()) { process().in_each_child.push_back(work); }

std::uint64_t HomeProcess::forks() { return process().forks; }

KeptFromChildren::KeptFromChildren(std::byte* memory, std::size_t bytes, int descriptor, std::size_t offset)
    : memory_(memory) {
  const int own = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  const std::lock_guard lock(process().mutex);
  process().shared[memory] = {bytes, own, offset};
}

KeptFromChildren::~KeptFromChildren() {
  const std::lock_guard lock(process().mutex);
  const auto found = process().shared.find(memory_);
  if (found->second.descriptor >= 0) ::close(found->second.descriptor);
  process().shared.erase(found);
}

}  // namespace shardfft
